// The largest of five in each row, then of five rows; indices are clamped at the border.
#include <stdlib.h>

static int64_t clamp(int64_t i, int64_t n) { return i < 0 ? 0 : i < n ? i : n - 1; }
static float larger(float a, float b) { return a > b ? a : b; }

static float near(const float *row, int64_t x, int64_t n)
{
    float most = row[x];
    for (int j = -2; j <= 2; j++) most = larger(most, row[clamp(x + j, n)]);
    return most;
}

int max_filter(float *restrict out, int64_t h, int64_t w, const float *restrict image)
{
    const int64_t H = h + 1, W = w + 1;
    float *rows = malloc(H * W * sizeof(float));
    if (!rows) return 1;
    #pragma omp parallel for
    for (int64_t y = 0; y < H; y++) {
        const float *p = image + y * W;
        float *restrict q = rows + y * W;
        for (int64_t x = 0; x < 2 && x < W; x++) q[x] = near(p, x, W);
        for (int64_t x = 2; x < W - 2; x++)
            q[x] = larger(larger(larger(p[x - 2], p[x - 1]), larger(p[x + 1], p[x + 2])), p[x]);
        for (int64_t x = W > 4 ? W - 2 : 2; x < W; x++) q[x] = near(p, x, W);
    }
    #pragma omp parallel for
    for (int64_t y = 0; y < H; y++) {
        const float *a = rows + clamp(y - 2, H) * W, *b = rows + clamp(y - 1, H) * W, *c = rows + y * W;
        const float *d = rows + clamp(y + 1, H) * W, *e = rows + clamp(y + 2, H) * W;
        float *restrict q = out + y * W;
        for (int64_t x = 0; x < W; x++) q[x] = larger(larger(larger(a[x], b[x]), larger(d[x], e[x])), c[x]);
    }
    free(rows);
    return 0;
}
