int depthwise(float *restrict out, int64_t c, int64_t h, int64_t w, const float *restrict weights,
              const float *restrict image)
{
    const int64_t W = w + 2;
    #pragma omp parallel for collapse(2)
    for (int64_t k = 0; k < c; k++)
        for (int64_t y = 0; y < h; y++) {
            const float *g = weights + 9 * k;
            #pragma omp simd
            for (int64_t x = 0; x < w; x++) {
                float sum = 0;
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++) sum += g[3 * i + j] * image[(k * (h + 2) + y + i) * W + x + j];
                out[(k * h + y) * w + x] = sum;
            }
        }
    return 0;
}
