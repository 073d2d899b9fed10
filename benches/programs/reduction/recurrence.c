// Each thread composes the maps of its part, then, with what comes before it, writes it.
#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_max_threads(void) { return 1; }
static int omp_get_num_threads(void) { return 1; }
static int omp_get_thread_num(void) { return 0; }
#endif

static int most_threads(void) { return omp_get_max_threads() < 256 ? omp_get_max_threads() : 256; }

int recurrence(float *restrict out, int64_t n, const float *restrict a, const float *restrict b)
{
    float factors[256], summands[256];
    #pragma omp parallel num_threads(most_threads())
    {
        const int64_t threads = omp_get_num_threads(), t = omp_get_thread_num();
        const int64_t from = n * t / threads, to = n * (t + 1) / threads;
        float factor = 1, y = 0;
        if (t + 1 < threads)
            for (int64_t i = from; i < to; i++) factor *= a[i], y = a[i] * y + b[i];
        factors[t] = factor;
        summands[t] = y;
        #pragma omp barrier
        y = 0;
        for (int64_t p = 0; p < t; p++) y = factors[p] * y + summands[p];
        for (int64_t i = from; i < to; i++) out[i] = y = a[i] * y + b[i];
    }
    return 0;
}
