#include <math.h>

int nbody(float *restrict ax, float *restrict ay, float *restrict az, int64_t n, const float *restrict x,
          const float *restrict y, const float *restrict z, const float *restrict mass)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        float sx = 0, sy = 0, sz = 0;
        #pragma omp simd reduction(+ : sx, sy, sz)
        for (int64_t j = 0; j < n; j++) {
            float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            float d2 = dx * dx + dy * dy + dz * dz + 0.01f;
            float f = mass[j] / (d2 * sqrtf(d2));
            sx += f * dx;
            sy += f * dy;
            sz += f * dz;
        }
        ax[i] = sx, ay[i] = sy, az[i] = sz;
    }
    return 0;
}
