int cumsum(float *restrict out, int64_t m, int64_t n, const float *restrict x)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        float sum = 0;
        for (int64_t j = 0; j < n; j++) out[i * n + j] = sum += x[i * n + j];
    }
    return 0;
}
