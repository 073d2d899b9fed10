int complex_product(float *restrict re, float *restrict im, int64_t n, const float *restrict xr, const float *restrict xi)
{
    float a = 1, b = 0;
    #pragma omp parallel
    {
        float p[16], q[16];
        for (int l = 0; l < 16; l++) p[l] = 1, q[l] = 0;
        #pragma omp for
        for (int64_t i = 0; i < n / 16; i++) {
            #pragma omp simd
            for (int l = 0; l < 16; l++) {
                float u = xr[16 * i + l], v = xi[16 * i + l], w = p[l] * u - q[l] * v;
                q[l] = p[l] * v + q[l] * u;
                p[l] = w;
            }
        }
        #pragma omp critical
        for (int l = 0; l < 16; l++) {
            float w = a * p[l] - b * q[l];
            b = a * q[l] + b * p[l];
            a = w;
        }
    }
    for (int64_t i = n / 16 * 16; i < n; i++) {
        float w = a * xr[i] - b * xi[i];
        b = a * xi[i] + b * xr[i];
        a = w;
    }
    *re = a;
    *im = b;
    return 0;
}
