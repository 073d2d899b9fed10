#include <math.h>

int bilateral(float *restrict out, int64_t h, int64_t w, float sharpness, const float *restrict image)
{
    const int64_t W = w + 4;
    float space[5][5];
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) space[i][j] = expf(-((i - 2) * (i - 2) + (j - 2) * (j - 2)) / 8.f);
    #pragma omp parallel for
    for (int64_t y = 0; y < h; y++)
        #pragma omp simd
        for (int64_t x = 0; x < w; x++) {
            float middle = image[(y + 2) * W + x + 2], sum = 0, weights = 0;
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < 5; j++) {
                    float p = image[(y + i) * W + x + j], d = p - middle;
                    float weight = space[i][j] * expf(-(d * d) * sharpness);
                    sum += weight * p;
                    weights += weight;
                }
            out[y * w + x] = sum / weights;
        }
    return 0;
}
