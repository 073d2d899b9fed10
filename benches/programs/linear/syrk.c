// The lower half is computed, then copied to the upper one.
int syrk(float *restrict out, int64_t n, int64_t k, const float *restrict a)
{
    #pragma omp parallel for schedule(dynamic, 8)
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            float sum = 0;
            #pragma omp simd reduction(+ : sum)
            for (int64_t l = 0; l < k; l++) sum += a[i * k + l] * a[j * k + l];
            out[i * n + j] = sum;
        }
    #pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) out[i * n + j] = out[j * n + i];
    return 0;
}
