int vector_add(float *restrict out, int64_t n, const float *restrict xs, const float *restrict ys)
{
    #pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) out[i] = xs[i] + ys[i];
    return 0;
}
