int trajectories(float *restrict out, int64_t k, int64_t n, float h, const float *restrict points)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        float x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];
        for (int64_t t = 0; t < k; t++) {
            float dx = 10 * (y - x), dy = x * (28 - z) - y, dz = x * y - 2.6666667f * z;
            x += h * dx;
            y += h * dy;
            z += h * dz;
        }
        out[3 * i] = x, out[3 * i + 1] = y, out[3 * i + 2] = z;
    }
    return 0;
}
