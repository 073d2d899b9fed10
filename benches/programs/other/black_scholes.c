#include <math.h>

static float normal(float x)
{
    float k = 1 / (1 + 0.2316419f * fabsf(x));
    float series = k * (0.31938153f + k * (-0.35656378f + k * (1.7814779f + k * (-1.8212559f + k * 1.3302744f))));
    float tail = 0.3989423f * expf(-0.5f * x * x) * series;
    return x < 0 ? tail : 1 - tail;
}

int black_scholes(float *restrict call, float *restrict put, int64_t n, float r, float v, const float *restrict s,
                  const float *restrict k, const float *restrict t)
{
    #pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) {
        float spread = v * sqrtf(t[i]);
        float d1 = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / spread, d2 = d1 - spread;
        float later = k[i] * expf(-r * t[i]);
        call[i] = s[i] * normal(d1) - later * normal(d2);
        put[i] = later * normal(-d2) - s[i] * normal(-d1);
    }
    return 0;
}
