int fir(float *restrict out, int64_t n, int64_t k, const float *restrict weights, const float *restrict signal)
{
    #pragma omp parallel for simd
    for (int64_t i = 0; i <= n; i++) {
        float sum = 0;
        for (int64_t j = 0; j <= k; j++) sum += weights[j] * signal[i + j];
        out[i] = sum;
    }
    return 0;
}
