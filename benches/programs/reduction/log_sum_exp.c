// Two passes: the largest, then the powers below it.
#pragma GCC optimize("Ofast")
#include <math.h>

int log_sum_exp(float *restrict out, int64_t n, const float *restrict xs)
{
    float most = xs[0], sum = 0;
    #pragma omp parallel for simd reduction(max : most)
    for (int64_t i = 0; i <= n; i++) most = xs[i] > most ? xs[i] : most;
    #pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i <= n; i++) sum += expf(xs[i] - most);
    *out = most + logf(sum);
    return 0;
}
