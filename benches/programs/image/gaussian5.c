// Two passes, the first into a temporary image.
#include <stdlib.h>

int gaussian5(float *restrict out, int64_t h, int64_t w, const float *restrict image)
{
    const int64_t W = w + 4;
    float *rows = malloc((h + 4) * w * sizeof(float));
    if (!rows) return 1;
    #pragma omp parallel for
    for (int64_t y = 0; y < h + 4; y++)
        for (int64_t x = 0; x < w; x++) {
            const float *p = image + y * W + x;
            rows[y * w + x] = (p[0] + p[4]) * 0.0625f + (p[1] + p[3]) * 0.25f + p[2] * 0.375f;
        }
    #pragma omp parallel for
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            const float *p = rows + y * w + x;
            out[y * w + x] = (p[0] + p[4 * w]) * 0.0625f + (p[w] + p[3 * w]) * 0.25f + p[2 * w] * 0.375f;
        }
    free(rows);
    return 0;
}
