// Of each of 16 parts: the sum, and the largest sums of a beginning, an end and a segment.
int segment_sum(float *restrict out, int64_t n, const float *restrict xs)
{
    float best = 0, end = 0;
    #pragma omp parallel for ordered schedule(static, 1)
    for (int t = 0; t < 16; t++) {
        float sum = 0, prefix = 0, suffix = 0, segment = 0;
        for (int64_t i = n * t / 16; i < n * (t + 1) / 16; i++) {
            sum += xs[i];
            prefix = sum > prefix ? sum : prefix;
            suffix = suffix + xs[i] > 0 ? suffix + xs[i] : 0;
            segment = suffix > segment ? suffix : segment;
        }
        #pragma omp ordered
        {
            segment = end + prefix > segment ? end + prefix : segment;
            best = segment > best ? segment : best;
            end = end + sum > suffix ? end + sum : suffix;
        }
    }
    *out = best;
    return 0;
}
