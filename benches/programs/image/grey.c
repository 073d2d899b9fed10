int grey(uint8_t *restrict out, int64_t h, int64_t w, const uint8_t *restrict image)
{
    #pragma omp parallel for simd
    for (int64_t i = 0; i < h * w; i++)
        out[i] = (77 * image[3 * i] + 150 * image[3 * i + 1] + 29 * image[3 * i + 2]) >> 8;
    return 0;
}
