// Welford's update.
int moments(float *restrict mean, float *restrict variance, int64_t n, const float *restrict xs)
{
    float m = 0, squares = 0;
    for (int64_t i = 0; i <= n; i++) {
        float d = xs[i] - m;
        m += d / (i + 1);
        squares += d * (xs[i] - m);
    }
    *mean = m;
    *variance = squares / (n + 1);
    return 0;
}
