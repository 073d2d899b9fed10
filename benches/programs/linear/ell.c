int ell(float *restrict out, int64_t m, int64_t n, int64_t k, const int64_t *restrict columns,
        const float *restrict values, const float *restrict x)
{
    (void)n;
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        float sum = 0;
        #pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < k; j++) sum += values[i * k + j] * x[columns[i * k + j]];
        out[i] = sum;
    }
    return 0;
}
