#include <stdlib.h>

int block_match(int32_t *restrict out, int64_t h, int64_t w, int64_t a, int64_t b,
                const uint8_t *restrict block, const uint8_t *restrict image)
{
    const int64_t W = w + b + 1;
    #pragma omp parallel for
    for (int64_t y = 0; y <= h; y++)
        for (int64_t x = 0; x <= w; x++) {
            int32_t sum = 0;
            for (int64_t i = 0; i <= a; i++)
                for (int64_t j = 0; j <= b; j++) sum += abs(block[i * (b + 1) + j] - image[(y + i) * W + x + j]);
            out[y * (w + 1) + x] = sum;
        }
    return 0;
}
