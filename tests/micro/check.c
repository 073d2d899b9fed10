/* Checks kernels of a matrix product, the unoptimised one among them: every element
   is that of a sum from left to right, to the bit; nothing beside the result is
   written; threads and the places of arrays change nothing. The kernels stand above
   this text, KERNELS lists them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef int (*kernel)(ELEMENT *restrict, int64_t, int64_t, int64_t,
                      const ELEMENT *restrict, const ELEMENT *restrict);
static const kernel kernels[] = {KERNELS};
enum { COUNT = sizeof kernels / sizeof *kernels, EDGE = 16 };

static uint64_t state = 1;
static uint64_t next(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

/* Plain numbers, or any: infinities, numbers that are none, denormal ones. */
static ELEMENT number(int exotic)
{
    static const double odd[] = {INFINITY, -INFINITY, NAN, 1e-42, -1e-42, 1e-310, 0.0, -0.0, 1e38, 1e308};
    if (exotic && next() % 4 == 0) return (ELEMENT)odd[next() % (sizeof odd / sizeof *odd)];
    return (ELEMENT)((double)(next() % 2001) / 1000.0 - 1.0);
}

static void naive(ELEMENT *out, int64_t m, int64_t n, int64_t k, const ELEMENT *a, const ELEMENT *b)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) out[i * n + j] = 0;
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++) out[i * n + j] += a[i * k + l] * b[l * n + j];
    }
}

static int same(const ELEMENT *x, const ELEMENT *y, int64_t n)
{
    if (memcmp(x, y, n * sizeof *x) == 0) return 1;
    /* Which of two numbers that are none a sum keeps is not laid down. */
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&x[i], &y[i], sizeof *x) != 0 && !(x[i] != x[i] && y[i] != y[i])) return 0;
    return 1;
}

static void fail(const char *what, int at, int64_t m, int64_t n, int64_t k)
{
    fprintf(stderr, "kernel %d at m=%lld n=%lld k=%lld: %s\n", at, (long long)m, (long long)n, (long long)k, what);
    exit(1);
}

/* Each array starts at an element of its own of a cache line. */
static void check(int64_t m, int64_t n, int64_t k, int exotic)
{
    int64_t sizes[3] = {m * n, m * k, k * n};
    ELEMENT *room[4], *at[4];
    int64_t first[4];
    for (int i = 0; i < 4; i++) {
        first[i] = EDGE + (int64_t)(next() % (64 / sizeof(ELEMENT)));
        int64_t count = first[i] + sizes[i == 3 ? 0 : i] + EDGE;
        room[i] = aligned_alloc(64, (count * sizeof(ELEMENT) + 63) / 64 * 64);
        at[i] = room[i] + first[i];
    }
    for (int i = 1; i < 3; i++)
        for (int64_t j = 0; j < sizes[i]; j++) at[i][j] = number(exotic);
    naive(at[3], m, n, k, at[1], at[2]);
    for (int i = 0; i < COUNT; i++) {
        int64_t all = first[0] + sizes[0] + EDGE;
        memset(room[0], 0x5a, all * sizeof(ELEMENT));
        if (kernels[i](at[0], m, n, k, at[1], at[2])) fail("refused", i, m, n, k);
        if (!same(at[0], at[3], sizes[0])) fail("wrong", i, m, n, k);
        const char *bytes = (const char *)room[0];
        int64_t from = first[0] * (int64_t)sizeof(ELEMENT), to = from + sizes[0] * (int64_t)sizeof(ELEMENT);
        for (int64_t j = 0; j < all * (int64_t)sizeof(ELEMENT); j++) {
            if (j == from) j = to;
            if (bytes[j] != 0x5a) fail("wrote beside the result", i, m, n, k);
        }
    }
    for (int i = 0; i < 4; i++) free(room[i]);
}

/* Sizes that no memory holds, negative ones, nothing to read: an answer, no crash. */
static void refusals(void)
{
    for (int i = 0; i < COUNT; i++) {
        int64_t huge = (int64_t)1 << 40, most = INT64_MAX;
        int64_t bad[][3] = {{-1, 4, 4}, {4, -1, 4}, {4, 4, -1}, {huge, huge, 1}, {1, huge, huge},
                            {huge, 1, huge}, {most, most, most}, {most, 2, 1}, {2, 1, most}};
        for (unsigned j = 0; j < sizeof bad / sizeof *bad; j++)
            if (!kernels[i](NULL, bad[j][0], bad[j][1], bad[j][2], NULL, NULL))
                fail("accepted", i, bad[j][0], bad[j][1], bad[j][2]);
        if (kernels[i](NULL, 0, 0, 0, NULL, NULL)) fail("refused", i, 0, 0, 0);
        if (kernels[i](NULL, 0, 0, 3, NULL, NULL)) fail("refused", i, 0, 0, 3);
        if (kernels[i](NULL, 0, 5, 0, NULL, NULL)) fail("refused", i, 0, 5, 0);
    }
}

int main(int argc, char **argv)
{
    int limit = argc > 1 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : 0;
    int largest = argc > 3 ? atoi(argv[3]) : 0;
    long checked = 0;
#ifdef _OPENMP
    omp_set_num_threads(1);
#endif
    for (int m = 0; m <= limit; m++)
        for (int n = 0; n <= limit; n++)
            for (int k = 0; k <= limit; k++, checked++) check(m, n, k, (m + n + k) % 3 == 0);
    for (int i = 0; i < count; i++, checked++) {
#ifdef _OPENMP
        omp_set_num_threads(1 + i % 8);
#endif
        /* Each is as large as may be, but seldom all of them: such products take most of the time. */
        int64_t m, n, k, most = (int64_t)largest * largest * largest / (i % 7 ? 16 : 1);
        do {
            m = 1 + next() % largest;
            n = 1 + next() % largest;
            k = 1 + next() % largest;
        } while (m * n * k > most);
        check(m, n, k, i % 5 == 0);
    }
    refusals();
    printf("%ld\n", checked);
    return 0;
}
