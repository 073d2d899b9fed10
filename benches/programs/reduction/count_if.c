int count_if(int32_t *restrict out, int64_t n, float limit, const float *restrict xs)
{
    int32_t count = 0;
    #pragma omp parallel for simd reduction(+ : count)
    for (int64_t i = 0; i < n; i++) count += xs[i] > limit;
    *out = count;
    return 0;
}
