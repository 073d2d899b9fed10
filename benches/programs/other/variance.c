int variance(float *restrict means, float *restrict variances, int64_t m, int64_t n, const float *restrict x)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        const float *row = x + i * n;
        float mean = 0, variance = 0;
        #pragma omp simd reduction(+ : mean)
        for (int64_t j = 0; j < n; j++) mean += row[j];
        mean /= n;
        #pragma omp simd reduction(+ : variance)
        for (int64_t j = 0; j < n; j++) variance += (row[j] - mean) * (row[j] - mean);
        means[i] = mean;
        variances[i] = variance / n;
    }
    return 0;
}
