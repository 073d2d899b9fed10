int axpy(float *restrict out, int64_t n, float a, const float *restrict x, const float *restrict y)
{
    #pragma omp parallel for simd
    for (int64_t i = 0; i < n; i++) out[i] = a * x[i] + y[i];
    return 0;
}
