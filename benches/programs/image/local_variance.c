int local_variance(float *restrict mean, float *restrict variance, int64_t h, int64_t w, const float *restrict image)
{
    const int64_t W = w + 4;
    #pragma omp parallel for
    for (int64_t y = 0; y < h; y++)
        #pragma omp simd
        for (int64_t x = 0; x < w; x++) {
            float sum = 0, square = 0;
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < 5; j++) {
                    float p = image[(y + i) * W + x + j];
                    sum += p;
                    square += p * p;
                }
            float m = sum * 0.04f;
            mean[y * w + x] = m;
            variance[y * w + x] = square * 0.04f - m * m;
        }
    return 0;
}
