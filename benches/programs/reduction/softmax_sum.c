// Two passes: the largest, then the powers below it.
#pragma GCC optimize("Ofast")
#include <math.h>

int softmax_sum(float *restrict out, int64_t n, const float *restrict xs, const float *restrict vs)
{
    float most = xs[0], weights = 0, sum = 0;
    #pragma omp parallel for simd reduction(max : most)
    for (int64_t i = 0; i <= n; i++) most = xs[i] > most ? xs[i] : most;
    #pragma omp parallel for simd reduction(+ : weights, sum)
    for (int64_t i = 0; i <= n; i++) {
        float power = expf(xs[i] - most);
        weights += power;
        sum += power * vs[i];
    }
    *out = sum / weights;
    return 0;
}
