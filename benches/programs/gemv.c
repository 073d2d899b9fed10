int gemv(float *restrict out, int64_t m, int64_t n, float alpha, float beta, const float *restrict a,
         const float *restrict x, const float *restrict y)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        float sum = 0;
        #pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j < n; j++) sum += a[i * n + j] * x[j];
        out[i] = alpha * sum + beta * y[i];
    }
    return 0;
}
