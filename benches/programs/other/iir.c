int iir(float *restrict out, int64_t m, int64_t n, float b0, float b1, float b2, float a1, float a2,
        const float *restrict signals)
{
    #pragma omp parallel for
    for (int64_t c = 0; c < m; c++) {
        float s1 = 0, s2 = 0;
        for (int64_t i = 0; i < n; i++) {
            float x = signals[c * n + i], y = b0 * x + s1;
            s1 = b1 * x - a1 * y + s2;
            s2 = b2 * x - a2 * y;
            out[c * n + i] = y;
        }
    }
    return 0;
}
