int conv2d_stride2(float *restrict out, int64_t o, int64_t c, int64_t h, int64_t w, const float *restrict weights,
                   const float *restrict image)
{
    const int64_t H = 2 * h + 3, W = 2 * w + 3;
    #pragma omp parallel for
    for (int64_t f = 0; f < o; f++)
        for (int64_t y = 0; y <= h; y++) {
            float *restrict row = out + (f * (h + 1) + y) * (w + 1);
            for (int64_t x = 0; x <= w; x++) row[x] = 0;
            for (int64_t k = 0; k < c; k++)
                for (int i = 0; i < 3; i++) {
                    const float *g = weights + ((f * c + k) * 3 + i) * 3, *p = image + (k * H + 2 * y + i) * W;
                    for (int64_t x = 0; x <= w; x++)
                        row[x] += g[0] * p[2 * x] + g[1] * p[2 * x + 1] + g[2] * p[2 * x + 2];
                }
        }
    return 0;
}
