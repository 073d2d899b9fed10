// Of what the numbers differ from the first one by, so that little cancels.
int moments(float *restrict mean, float *restrict variance, int64_t n, const float *restrict xs)
{
    const float first = xs[0];
    float sum = 0, squares = 0;
    #pragma omp parallel for simd reduction(+ : sum, squares)
    for (int64_t i = 0; i <= n; i++) {
        float d = xs[i] - first;
        sum += d;
        squares += d * d;
    }
    const float d = sum / (n + 1);
    *mean = first + d;
    *variance = squares / (n + 1) - d * d;
    return 0;
}
