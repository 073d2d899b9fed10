// Two buffers; indices are clamped at the border.
#include <stdlib.h>
#include <string.h>

static int64_t less(int64_t i) { return i > 0 ? i - 1 : 0; }
static int64_t more(int64_t i, int64_t n) { return i < n - 1 ? i + 1 : n - 1; }

int jacobi3d(float *restrict out, int64_t t, int64_t d, int64_t h, int64_t w, float c0, float c1, const float *restrict u)
{
    const int64_t D = d + 1, H = h + 1, W = w + 1;
    float *a = malloc(D * H * W * sizeof(float)), *b = malloc(D * H * W * sizeof(float));
    if (!a || !b) {
        free(a), free(b);
        return 1;
    }
    memcpy(a, u, D * H * W * sizeof(float));
    for (int64_t s = 0; s < t; s++) {
        #pragma omp parallel for
        for (int64_t z = 0; z < D; z++)
            for (int64_t y = 0; y < H; y++) {
                const float *below = a + (less(z) * H + y) * W, *above = a + (more(z, D) * H + y) * W;
                const float *north = a + (z * H + less(y)) * W, *south = a + (z * H + more(y, H)) * W;
                const float *p = a + (z * H + y) * W;
                float *restrict q = b + (z * H + y) * W;
                q[0] = c0 * p[0] + c1 * (below[0] + above[0] + north[0] + south[0] + p[0] + p[more(0, W)]);
                for (int64_t x = 1; x < W - 1; x++)
                    q[x] = c0 * p[x] + c1 * (below[x] + above[x] + north[x] + south[x] + p[x - 1] + p[x + 1]);
                int64_t x = W - 1;
                q[x] = c0 * p[x] + c1 * (below[x] + above[x] + north[x] + south[x] + p[less(x)] + p[x]);
            }
        float *c = a;
        a = b, b = c;
    }
    memcpy(out, a, D * H * W * sizeof(float));
    free(a), free(b);
    return 0;
}
