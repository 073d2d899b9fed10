int kronecker(float *restrict out, int64_t m, int64_t n, int64_t p, int64_t q, const float *restrict a,
              const float *restrict b)
{
    #pragma omp parallel for
    for (int64_t i = 0; i < m; i++)
        for (int64_t k = 0; k < p; k++)
            for (int64_t j = 0; j < n; j++)
                for (int64_t l = 0; l < q; l++) out[((i * p + k) * n + j) * q + l] = a[i * n + j] * b[k * q + l];
    return 0;
}
