int blur_bytes(uint8_t *restrict out, int64_t h, int64_t w, const uint8_t *restrict image)
{
    const int64_t W = w + 2;
    #pragma omp parallel for
    for (int64_t y = 0; y < h; y++)
        #pragma omp simd
        for (int64_t x = 0; x < w; x++) {
            const uint8_t *a = image + y * W + x, *b = a + W, *c = b + W;
            uint16_t sum = a[0] + 2 * a[1] + a[2] + 2 * b[0] + 4 * b[1] + 2 * b[2] + c[0] + 2 * c[1] + c[2];
            out[y * w + x] = (sum + 8) >> 4;
        }
    return 0;
}
