// Stockham's algorithm with a table of roots and two buffers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

int fft(float *restrict re, float *restrict im, int64_t s, int64_t h, const float *restrict xr,
        const float *restrict xi)
{
    float *memory = malloc((10 * h + 1) * sizeof(float));
    if (!memory) return 1;
    float *cosines = memory, *sines = cosines + h, *ar = sines + h, *ai = ar + 2 * h, *br = ai + 2 * h, *bi = br + 2 * h;
    for (int64_t i = 0; i < h; i++) {
        float angle = -3.1415927f * i / h;
        cosines[i] = cosf(angle);
        sines[i] = sinf(angle);
    }
    memcpy(ar, xr, 2 * h * sizeof(float));
    memcpy(ai, xi, 2 * h * sizeof(float));
    for (int64_t step = 0, stride = 1; step < s; step++, stride *= 2) {
        #pragma omp parallel for
        for (int64_t p = 0; p < h / stride; p++) {
            float c = cosines[p * stride], d = sines[p * stride];
            for (int64_t q = 0; q < stride; q++) {
                int64_t j = p * stride + q, o = 2 * p * stride + q;
                float u = ar[j] - ar[j + h], v = ai[j] - ai[j + h];
                br[o] = ar[j] + ar[j + h];
                bi[o] = ai[j] + ai[j + h];
                br[o + stride] = u * c - v * d;
                bi[o + stride] = u * d + v * c;
            }
        }
        float *r = ar, *i = ai;
        ar = br, ai = bi, br = r, bi = i;
    }
    memcpy(re, ar, 2 * h * sizeof(float));
    memcpy(im, ai, 2 * h * sizeof(float));
    free(memory);
    return 0;
}
