int nearest(float *restrict distances, int32_t *restrict places, int64_t m, int64_t n, int64_t d,
            const float *restrict queries, const float *restrict points)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++)
        for (int64_t p = 0; p <= n; p++) {
            float distance = 0;
            #pragma omp simd reduction(+ : distance)
            for (int64_t j = 0; j < d; j++) {
                float e = queries[i * d + j] - points[p * d + j];
                distance += e * e;
            }
            if (p == 0 || distance < distances[i]) distances[i] = distance, places[i] = p;
        }
    return 0;
}
