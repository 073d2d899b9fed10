// Each thread has four rows of counts of its own, so that equal bytes do not wait for each other.
#include <string.h>

int byte_histogram(int32_t *restrict out, int64_t n, const uint8_t *restrict xs)
{
    memset(out, 0, 256 * sizeof(int32_t));
    #pragma omp parallel
    {
        int32_t own[4][256] = {0};
        #pragma omp for
        for (int64_t i = 0; i < n / 4; i++)
            for (int l = 0; l < 4; l++) own[l][xs[4 * i + l]]++;
        #pragma omp critical
        for (int v = 0; v < 256; v++) out[v] += own[0][v] + own[1][v] + own[2][v] + own[3][v];
    }
    for (int64_t i = n / 4 * 4; i < n; i++) out[xs[i]]++;
    return 0;
}
