int argmax(int32_t *restrict out, int64_t m, int64_t n, const float *restrict x)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        const float *row = x + i * (n + 1);
        int64_t best = 0;
        for (int64_t j = 1; j <= n; j++) best = row[j] > row[best] ? j : best;
        out[i] = best;
    }
    return 0;
}
