int dot(float *restrict out, int64_t n, const float *restrict xs, const float *restrict ys)
{
    float sum = 0;
    for (int64_t i = 0; i < n; i++) sum += xs[i] * ys[i];
    *out = sum;
    return 0;
}
