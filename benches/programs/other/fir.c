// Blocks of results that stay in the first cache, weight by weight.
int fir(float *restrict out, int64_t n, int64_t k, const float *restrict weights, const float *restrict signal)
{
    #pragma omp parallel for
    for (int64_t b = 0; b <= n; b += 1024) {
        const int64_t size = b + 1024 <= n ? 1024 : n - b + 1;
        float *restrict block = out + b;
        const float *restrict from = signal + b;
        for (int64_t i = 0; i < size; i++) block[i] = 0;
        for (int64_t j = 0; j <= k; j++)
            for (int64_t i = 0; i < size; i++) block[i] += weights[j] * from[i + j];
    }
    return 0;
}
