#include <math.h>

int log_sum_exp(float *restrict out, int64_t n, const float *restrict xs)
{
    float most = xs[0], sum = 0;
    for (int64_t i = 1; i <= n; i++) most = xs[i] > most ? xs[i] : most;
    for (int64_t i = 0; i <= n; i++) sum += expf(xs[i] - most);
    *out = most + logf(sum);
    return 0;
}
