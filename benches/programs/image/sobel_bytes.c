#include <stdlib.h>

int sobel_bytes(uint8_t *restrict out, int64_t h, int64_t w, const uint8_t *restrict image)
{
    const int64_t W = w + 2;
    #pragma omp parallel for
    for (int64_t y = 0; y < h; y++)
        #pragma omp simd
        for (int64_t x = 0; x < w; x++) {
            const uint8_t *a = image + y * W + x, *b = a + W, *c = b + W;
            int16_t gx = a[2] - a[0] + 2 * (b[2] - b[0]) + c[2] - c[0];
            int16_t gy = c[0] - a[0] + 2 * (c[1] - a[1]) + c[2] - a[2];
            int16_t sum = abs(gx) + abs(gy);
            out[y * w + x] = sum < 255 ? sum : 255;
        }
    return 0;
}
