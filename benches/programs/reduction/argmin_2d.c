int argmin_2d(float *restrict least, int32_t *restrict row, int32_t *restrict column, int64_t m, int64_t n,
              const float *restrict xs)
{
    int64_t best = 0;
    #pragma omp parallel
    {
        int64_t own = 0;
        #pragma omp for
        for (int64_t i = 0; i < (m + 1) * (n + 1); i++) own = xs[i] < xs[own] ? i : own;
        #pragma omp critical
        if (xs[own] < xs[best] || (xs[own] == xs[best] && own < best)) best = own;
    }
    *least = xs[best];
    *row = best / (n + 1);
    *column = best % (n + 1);
    return 0;
}
