int dilate_bytes(uint8_t *restrict out, int64_t h, int64_t w, const uint8_t *restrict image)
{
    const int64_t W = w + 2;
    #pragma omp parallel for
    for (int64_t y = 0; y < h; y++)
        #pragma omp simd
        for (int64_t x = 0; x < w; x++) {
            uint8_t most = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    uint8_t p = image[(y + i) * W + x + j];
                    most = p > most ? p : most;
                }
            out[y * w + x] = most;
        }
    return 0;
}
