// One pass; each thread has counts of its own.
#include <string.h>

int histogram(int32_t *restrict out, int64_t n, int64_t b, const uint8_t *restrict xs)
{
    memset(out, 0, b * sizeof(int32_t));
    #pragma omp parallel
    {
        int32_t own[256] = {0};
        #pragma omp for
        for (int64_t i = 0; i < n; i++) own[xs[i]]++;
        #pragma omp critical
        for (int64_t v = 0; v < b && v < 256; v++) out[v] += own[v];
    }
    return 0;
}
