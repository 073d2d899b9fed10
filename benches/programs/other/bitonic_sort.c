// In place, pair by pair; t passes with steps j in stages k.
#include <string.h>

int bitonic_sort(float *restrict out, int64_t n, int64_t t, const float *restrict xs)
{
    memcpy(out, xs, n * sizeof(float));
    int64_t j = 1, k = 2;
    for (int64_t pass = 0; pass < t; pass++) {
        #pragma omp parallel for
        for (int64_t p = 0; p < n / 2; p++) {
            int64_t i = p / j * 2 * j + p % j;
            float a = out[i], b = out[i + j], low = a < b ? a : b, high = a < b ? b : a;
            int up = (i & k) == 0;
            out[i] = up ? low : high;
            out[i + j] = up ? high : low;
        }
        if (j == 1)
            j = k, k *= 2;
        else
            j /= 2;
    }
    return 0;
}
