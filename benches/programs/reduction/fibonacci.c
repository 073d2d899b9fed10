// Each thread has a part of the list; their products are multiplied in order.
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct { uint32_t a, b, c, d; } matrix;

static matrix times(matrix x, matrix y)
{
    return (matrix){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

int fibonacci(uint32_t *restrict a, uint32_t *restrict b, uint32_t *restrict c, uint32_t *restrict d, int64_t n,
              const uint32_t *restrict xa, const uint32_t *restrict xb, const uint32_t *restrict xc,
              const uint32_t *restrict xd)
{
    matrix all = {1, 0, 0, 1};
    #pragma omp parallel for ordered schedule(static, 1)
    for (int t = 0; t < 16; t++) {
        matrix own = {1, 0, 0, 1};
        for (int64_t i = n * t / 16; i < n * (t + 1) / 16; i++) own = times(own, (matrix){xa[i], xb[i], xc[i], xd[i]});
        #pragma omp ordered
        all = times(all, own);
    }
    *a = all.a;
    *b = all.b;
    *c = all.c;
    *d = all.d;
    return 0;
}
