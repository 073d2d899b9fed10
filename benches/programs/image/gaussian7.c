// Two passes, the first into a temporary image; indices are clamped at the border.
#include <stdlib.h>

static int64_t clamp(int64_t i, int64_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }

int gaussian7(float *restrict out, int64_t h, int64_t w, const float *restrict image)
{
    static const float g[7] = {1 / 64.f, 6 / 64.f, 15 / 64.f, 20 / 64.f, 15 / 64.f, 6 / 64.f, 1 / 64.f};
    const int64_t H = h + 1, W = w + 1;
    float *columns = malloc(H * W * sizeof(float));
    if (!columns) return 1;
    #pragma omp parallel for
    for (int64_t y = 0; y < H; y++) {
        const float *row[7];
        for (int i = 0; i < 7; i++) row[i] = image + clamp(y + i - 3, H) * W;
        for (int64_t x = 0; x < W; x++) {
            float sum = 0;
            for (int i = 0; i < 7; i++) sum += g[i] * row[i][x];
            columns[y * W + x] = sum;
        }
    }
    #pragma omp parallel for
    for (int64_t y = 0; y < H; y++) {
        const float *row = columns + y * W;
        for (int64_t x = 0; x < W; x++) {
            float sum = 0;
            if (x >= 3 && x + 3 < W)
                for (int j = 0; j < 7; j++) sum += g[j] * row[x + j - 3];
            else
                for (int j = 0; j < 7; j++) sum += g[j] * row[clamp(x + j - 3, W)];
            out[y * W + x] = sum;
        }
    }
    free(columns);
    return 0;
}
