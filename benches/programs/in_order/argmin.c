int argmin(float *restrict least, int32_t *restrict place, int64_t n, const float *restrict xs)
{
    int64_t best = 0;
    for (int64_t i = 1; i <= n; i++) best = xs[i] < xs[best] ? i : best;
    *least = xs[best];
    *place = best;
    return 0;
}
