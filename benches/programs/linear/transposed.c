// Blocks of 32×32.
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

int transposed(float *restrict out, int64_t m, int64_t n, const float *restrict a)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < n; i += 32)
        for (int64_t j = 0; j < m; j += 32)
            for (int64_t y = i; y < smaller(i + 32, n); y++)
                for (int64_t x = j; x < smaller(j + 32, m); x++) out[y * m + x] = a[x * n + y];
    return 0;
}
