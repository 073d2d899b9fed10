int trmv(float *restrict out, int64_t n, const float *restrict a, const float *restrict x)
{
    #pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        #pragma omp simd reduction(+ : sum)
        for (int64_t j = 0; j <= i; j++) sum += a[i * n + j] * x[j];
        out[i] = sum;
    }
    return 0;
}
