int unsharp(float *restrict out, int64_t h, int64_t w, float amount, const float *restrict image)
{
    const int64_t W = w + 2;
    #pragma omp parallel for
    for (int64_t y = 0; y < h; y++)
        #pragma omp simd
        for (int64_t x = 0; x < w; x++) {
            const float *a = image + y * W + x, *b = a + W, *c = b + W;
            float blur = (a[0] + 2 * a[1] + a[2] + 2 * (b[0] + 2 * b[1] + b[2]) + c[0] + 2 * c[1] + c[2]) / 16;
            out[y * w + x] = b[1] + amount * (b[1] - blur);
        }
    return 0;
}
