int prefix_sum(float *restrict out, int64_t n, const float *restrict xs)
{
    float sum = 0;
    for (int64_t i = 0; i < n; i++) out[i] = sum += xs[i];
    return 0;
}
