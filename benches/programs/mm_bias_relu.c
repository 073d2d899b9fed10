int mm_bias_relu(float *restrict out, int64_t m, int64_t n, int64_t k, const float *restrict a,
                 const float *restrict b, const float *restrict bias)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        float *restrict row = out + i * n;
        for (int64_t j = 0; j < n; j++) row[j] = bias[j];
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++) row[j] += a[i * k + l] * b[l * n + j];
        for (int64_t j = 0; j < n; j++) row[j] = row[j] > 0 ? row[j] : 0;
    }
    return 0;
}
