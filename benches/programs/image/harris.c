// The gradients into temporary images, then products and sums.
#include <stdlib.h>

int harris(float *restrict out, int64_t h, int64_t w, float kappa, const float *restrict image)
{
    const int64_t W = w + 4, V = w + 2;
    float *gx = malloc((h + 2) * V * sizeof(float)), *gy = malloc((h + 2) * V * sizeof(float));
    if (!gx || !gy) {
        free(gx), free(gy);
        return 1;
    }
    #pragma omp parallel for
    for (int64_t y = 0; y < h + 2; y++)
        for (int64_t x = 0; x < V; x++) {
            const float *a = image + y * W + x, *b = a + W, *c = b + W;
            gx[y * V + x] = a[2] - a[0] + 2 * (b[2] - b[0]) + c[2] - c[0];
            gy[y * V + x] = c[0] - a[0] + 2 * (c[1] - a[1]) + c[2] - a[2];
        }
    #pragma omp parallel for
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            float xx = 0, yy = 0, xy = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    float u = gx[(y + i) * V + x + j], v = gy[(y + i) * V + x + j];
                    xx += u * u;
                    yy += v * v;
                    xy += u * v;
                }
            out[y * w + x] = xx * yy - xy * xy - kappa * (xx + yy) * (xx + yy);
        }
    free(gx), free(gy);
    return 0;
}
