static uint8_t lo(uint8_t a, uint8_t b) { return a < b ? a : b; }
static uint8_t hi(uint8_t a, uint8_t b) { return a > b ? a : b; }

int median(uint8_t *restrict out, int64_t h, int64_t w, const uint8_t *restrict image)
{
    const int64_t W = w + 2;
    #pragma omp parallel for
    for (int64_t y = 0; y < h; y++)
        #pragma omp simd
        for (int64_t x = 0; x < w; x++) {
            const uint8_t *p = image + (y + 1) * W + x + 1;
            uint8_t a = p[-W], b = p[-1], c = p[1], d = p[W], e = p[0];
            uint8_t f = hi(lo(a, b), lo(c, d)), g = lo(hi(a, b), hi(c, d));
            out[y * w + x] = hi(lo(e, f), lo(hi(e, f), g));
        }
    return 0;
}
