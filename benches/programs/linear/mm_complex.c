int mm_complex(float *restrict re, float *restrict im, int64_t m, int64_t n, int64_t k, const float *restrict ar,
               const float *restrict ai, const float *restrict br, const float *restrict bi)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) re[i * n + j] = im[i * n + j] = 0;
        for (int64_t l = 0; l < k; l++) {
            float u = ar[i * k + l], v = ai[i * k + l];
            for (int64_t j = 0; j < n; j++) {
                re[i * n + j] += u * br[l * n + j] - v * bi[l * n + j];
                im[i * n + j] += u * bi[l * n + j] + v * br[l * n + j];
            }
        }
    }
    return 0;
}
