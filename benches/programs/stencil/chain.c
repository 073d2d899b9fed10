// Two temporary signals.
#include <stdlib.h>

static void filter(float *restrict out, int64_t n, const float *restrict weights, const float *restrict xs)
{
    #pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        for (int j = 0; j < 25; j++) sum += weights[j] * xs[i + j];
        out[i] = sum;
    }
}

int chain(float *restrict out, int64_t n, const float *restrict a, const float *restrict b, const float *restrict c,
          const float *restrict xs)
{
    float *first = malloc((n + 48) * sizeof(float)), *second = malloc((n + 24) * sizeof(float));
    if (!first || !second) {
        free(first), free(second);
        return 1;
    }
    filter(first, n + 48, a, xs);
    filter(second, n + 24, b, first);
    filter(out, n, c, second);
    free(first), free(second);
    return 0;
}
