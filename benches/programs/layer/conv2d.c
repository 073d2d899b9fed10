// Each place of each filter, added up over channels, rows of pixels innermost.
int conv2d(float *restrict out, int64_t o, int64_t c, int64_t h, int64_t w, const float *restrict weights,
           const float *restrict bias, const float *restrict image)
{
    const int64_t W = w + 2;
    #pragma omp parallel for
    for (int64_t f = 0; f < o; f++)
        for (int64_t y = 0; y < h; y++) {
            float *restrict row = out + (f * h + y) * w;
            for (int64_t x = 0; x < w; x++) row[x] = bias[f];
            for (int64_t k = 0; k < c; k++)
                for (int i = 0; i < 3; i++) {
                    const float *g = weights + ((f * c + k) * 3 + i) * 3, *p = image + (k * (h + 2) + y + i) * W;
                    for (int64_t x = 0; x < w; x++) row[x] += g[0] * p[x] + g[1] * p[x + 1] + g[2] * p[x + 2];
                }
            for (int64_t x = 0; x < w; x++) row[x] = row[x] > 0 ? row[x] : 0;
        }
    return 0;
}
