int sum(float *restrict out, int64_t n, const float *restrict xs)
{
    float sum = 0;
    #pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += xs[i];
    *out = sum;
    return 0;
}
