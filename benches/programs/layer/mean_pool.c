int mean_pool(float *restrict out, int64_t c, int64_t h, int64_t w, const float *restrict image)
{
    #pragma omp parallel for
    for (int64_t k = 0; k < c; k++) {
        float sum = 0;
        #pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < h * w; i++) sum += image[k * h * w + i];
        out[k] = sum / (h * w);
    }
    return 0;
}
