// Two buffers with a border of dead cells.
#include <stdlib.h>
#include <string.h>

int life(uint8_t *restrict out, int64_t t, int64_t h, int64_t w, const uint8_t *restrict cells)
{
    const int64_t W = w + 2;
    uint8_t *a = calloc((h + 2) * W, 1), *b = calloc((h + 2) * W, 1);
    if (!a || !b) {
        free(a), free(b);
        return 1;
    }
    for (int64_t y = 0; y < h; y++) memcpy(a + (y + 1) * W + 1, cells + y * w, w);
    for (int64_t s = 0; s < t; s++) {
        #pragma omp parallel for
        for (int64_t y = 0; y < h; y++) {
            const uint8_t *p = a + (y + 1) * W + 1;
            uint8_t *restrict q = b + (y + 1) * W + 1;
            for (int64_t x = 0; x < w; x++) {
                uint8_t around = p[x - W - 1] + p[x - W] + p[x - W + 1] + p[x - 1] + p[x + 1] + p[x + W - 1] + p[x + W] + p[x + W + 1];
                q[x] = around == 3 ? 1 : around == 2 ? p[x] : 0;
            }
        }
        uint8_t *c = a;
        a = b, b = c;
    }
    for (int64_t y = 0; y < h; y++) memcpy(out + y * w, a + (y + 1) * W + 1, w);
    free(a), free(b);
    return 0;
}
