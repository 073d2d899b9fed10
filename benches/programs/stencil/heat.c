// Two buffers; indices are clamped at the border.
#include <stdlib.h>
#include <string.h>

static int64_t less(int64_t i) { return i > 0 ? i - 1 : 0; }
static int64_t more(int64_t i, int64_t n) { return i < n - 1 ? i + 1 : n - 1; }

int heat(float *restrict out, int64_t t, int64_t h, int64_t w, const float *restrict k, const float *restrict u)
{
    const int64_t H = h + 1, W = w + 1;
    float *a = malloc(H * W * sizeof(float)), *b = malloc(H * W * sizeof(float));
    if (!a || !b) {
        free(a), free(b);
        return 1;
    }
    memcpy(a, u, H * W * sizeof(float));
    for (int64_t s = 0; s < t; s++) {
        #pragma omp parallel for
        for (int64_t y = 0; y < H; y++) {
            const float *north = a + less(y) * W, *south = a + more(y, H) * W, *p = a + y * W, *c = k + y * W;
            float *restrict q = b + y * W;
            q[0] = p[0] + c[0] * (north[0] + south[0] + p[0] + p[more(0, W)] - 4 * p[0]);
            for (int64_t x = 1; x < W - 1; x++)
                q[x] = p[x] + c[x] * (north[x] + south[x] + p[x - 1] + p[x + 1] - 4 * p[x]);
            int64_t x = W - 1;
            q[x] = p[x] + c[x] * (north[x] + south[x] + p[less(x)] + p[x] - 4 * p[x]);
        }
        float *c = a;
        a = b, b = c;
    }
    memcpy(out, a, H * W * sizeof(float));
    free(a), free(b);
    return 0;
}
