#include <stdlib.h>
#include <string.h>

int jacobi1d(float *restrict out, int64_t t, int64_t n, const float *restrict u)
{
    const int64_t N = n + 1;
    float *a = malloc(N * sizeof(float)), *b = malloc(N * sizeof(float));
    if (!a || !b) {
        free(a), free(b);
        return 1;
    }
    memcpy(a, u, N * sizeof(float));
    for (int64_t s = 0; s < t; s++) {
        #pragma omp parallel for
        for (int64_t i = 1; i < N - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) * 0.33333334f;
        b[0] = (a[0] + a[0] + a[N > 1]) * 0.33333334f;
        b[N - 1] = (a[N > 1 ? N - 2 : 0] + a[N - 1] + a[N - 1]) * 0.33333334f;
        float *c = a;
        a = b, b = c;
    }
    memcpy(out, a, N * sizeof(float));
    free(a), free(b);
    return 0;
}
