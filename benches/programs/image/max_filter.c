// The largest of five in each row, then of five rows; indices are clamped at the border.
#include <stdlib.h>

static int64_t clamp(int64_t i, int64_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }
static float larger(float a, float b) { return a > b ? a : b; }

int max_filter(float *restrict out, int64_t h, int64_t w, const float *restrict image)
{
    const int64_t H = h + 1, W = w + 1;
    float *rows = malloc(H * W * sizeof(float));
    if (!rows) return 1;
    #pragma omp parallel for
    for (int64_t y = 0; y < H; y++) {
        const float *row = image + y * W;
        for (int64_t x = 0; x < W; x++) {
            float most = row[x];
            if (x >= 2 && x + 2 < W)
                for (int j = -2; j <= 2; j++) most = larger(most, row[x + j]);
            else
                for (int j = -2; j <= 2; j++) most = larger(most, row[clamp(x + j, W)]);
            rows[y * W + x] = most;
        }
    }
    #pragma omp parallel for
    for (int64_t y = 0; y < H; y++) {
        const float *row[5];
        for (int i = 0; i < 5; i++) row[i] = rows + clamp(y + i - 2, H) * W;
        for (int64_t x = 0; x < W; x++) {
            float most = row[0][x];
            for (int i = 1; i < 5; i++) most = larger(most, row[i][x]);
            out[y * W + x] = most;
        }
    }
    free(rows);
    return 0;
}
