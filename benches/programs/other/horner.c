int horner(float *restrict out, int64_t n, int64_t k, const float *restrict coefficients, const float *restrict xs)
{
    #pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        for (int64_t j = 0; j <= k; j++) sum = sum * xs[i] + coefficients[j];
        out[i] = sum;
    }
    return 0;
}
