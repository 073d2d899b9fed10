int mandelbrot(int32_t *restrict out, int64_t k, int64_t h, int64_t w, const float *restrict xs,
               const float *restrict ys)
{
    #pragma omp parallel for schedule(dynamic, 8)
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            float a = 0, b = 0;
            int32_t count = 0;
            while (count < k && a * a + b * b <= 4) {
                float next = a * a - b * b + xs[x];
                b = 2 * a * b + ys[y];
                a = next;
                count++;
            }
            out[y * w + x] = count;
        }
    return 0;
}
