// All filters of a place, added up over its window, filters innermost.
int conv2d_nhwc(float *restrict out, int64_t n, int64_t h, int64_t w, int64_t c, int64_t o,
                const float *restrict weights, const float *restrict bias, const float *restrict images)
{
    #pragma omp parallel for collapse(2)
    for (int64_t m = 0; m < n; m++)
        for (int64_t y = 0; y < h; y++)
            for (int64_t x = 0; x < w; x++) {
                float *restrict place = out + ((m * h + y) * w + x) * o;
                for (int64_t f = 0; f < o; f++) place[f] = bias[f];
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++)
                        for (int64_t k = 0; k < c; k++) {
                            float p = images[((m * (h + 2) + y + i) * (w + 2) + x + j) * c + k];
                            const float *g = weights + ((i * 3 + j) * c + k) * o;
                            for (int64_t f = 0; f < o; f++) place[f] += p * g[f];
                        }
                for (int64_t f = 0; f < o; f++) place[f] = place[f] > 0 ? place[f] : 0;
            }
    return 0;
}
