int ger(float *restrict out, int64_t m, int64_t n, float alpha, const float *restrict x, const float *restrict y,
        const float *restrict a)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) out[i * n + j] = a[i * n + j] + alpha * x[i] * y[j];
    return 0;
}
