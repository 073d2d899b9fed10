int argmin(float *restrict least, int32_t *restrict place, int64_t n, const float *restrict xs)
{
    int64_t best = 0;
    #pragma omp parallel
    {
        int64_t own = 0;
        #pragma omp for
        for (int64_t i = 0; i <= n; i++) own = xs[i] < xs[own] ? i : own;
        #pragma omp critical
        if (xs[own] < xs[best] || (xs[own] == xs[best] && own < best)) best = own;
    }
    *least = xs[best];
    *place = best;
    return 0;
}
