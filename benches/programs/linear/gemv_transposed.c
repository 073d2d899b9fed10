// A block of columns for each thread, row by row.
int gemv_transposed(float *restrict out, int64_t m, int64_t n, const float *restrict a, const float *restrict x)
{
    #pragma omp parallel for
    for (int64_t b = 0; b < n; b += 2048) {
        int64_t end = b + 2048 < n ? b + 2048 : n;
        for (int64_t j = b; j < end; j++) out[j] = 0;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = b; j < end; j++) out[j] += a[i * n + j] * x[i];
    }
    return 0;
}
