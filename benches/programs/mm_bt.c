int mm_bt(float *restrict out, int64_t m, int64_t n, int64_t k, const float *restrict a, const float *restrict b)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;
            #pragma omp simd reduction(+ : sum)
            for (int64_t l = 0; l < k; l++) sum += a[i * k + l] * b[j * k + l];
            out[i * n + j] = sum;
        }
    return 0;
}
