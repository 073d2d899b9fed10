int forward_substitution(float *restrict out, int64_t n, const float *restrict a, const float *restrict b)
{
    for (int64_t i = 0; i < n; i++) {
        float sum = b[i];
        #pragma omp simd reduction(- : sum)
        for (int64_t j = 0; j < i; j++) sum -= a[i * n + j] * out[j];
        out[i] = sum / a[i * n + i];
    }
    return 0;
}
