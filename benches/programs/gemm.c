int gemm(float *restrict out, int64_t m, int64_t n, int64_t k, float alpha, float beta, const float *restrict a,
         const float *restrict b, const float *restrict c)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        float *restrict row = out + i * n;
        for (int64_t j = 0; j < n; j++) row[j] = beta * c[i * n + j];
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++) row[j] += alpha * a[i * k + l] * b[l * n + j];
    }
    return 0;
}
