// Each thread looks for the largest of its part, then, with what is before it, writes it.
#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_max_threads(void) { return 1; }
static int omp_get_num_threads(void) { return 1; }
static int omp_get_thread_num(void) { return 0; }
#endif

static int most_threads(void) { return omp_get_max_threads() < 256 ? omp_get_max_threads() : 256; }

int running_max(float *restrict out, int64_t n, const float *restrict xs)
{
    float parts[256];
    #pragma omp parallel num_threads(most_threads())
    {
        const int64_t threads = omp_get_num_threads(), t = omp_get_thread_num();
        const int64_t from = (n + 1) * t / threads, to = (n + 1) * (t + 1) / threads;
        float most = xs[0];
        if (t + 1 < threads) {
            #pragma omp simd reduction(max : most)
            for (int64_t i = from; i < to; i++) most = xs[i] > most ? xs[i] : most;
        }
        parts[t] = most;
        #pragma omp barrier
        most = xs[0];
        for (int64_t p = 0; p < t; p++) most = parts[p] > most ? parts[p] : most;
        for (int64_t i = from; i < to; i++) out[i] = most = xs[i] > most ? xs[i] : most;
    }
    return 0;
}
