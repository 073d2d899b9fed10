// Blocks of results that stay in the first cache, coefficient by coefficient.
int horner(float *restrict out, int64_t n, int64_t k, const float *restrict coefficients, const float *restrict xs)
{
    #pragma omp parallel for
    for (int64_t b = 0; b < n; b += 1024) {
        const int64_t size = b + 1024 <= n ? 1024 : n - b;
        float *restrict block = out + b;
        const float *restrict x = xs + b;
        for (int64_t i = 0; i < size; i++) block[i] = 0;
        for (int64_t j = 0; j <= k; j++)
            for (int64_t i = 0; i < size; i++) block[i] = block[i] * x[i] + coefficients[j];
    }
    return 0;
}
