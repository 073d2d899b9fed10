int extrema(float *restrict least, float *restrict most, int64_t n, const float *restrict xs)
{
    float low = xs[0], high = xs[0];
    for (int64_t i = 1; i <= n; i++) {
        low = xs[i] < low ? xs[i] : low;
        high = xs[i] > high ? xs[i] : high;
    }
    *least = low;
    *most = high;
    return 0;
}
