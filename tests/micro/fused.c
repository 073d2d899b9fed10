/* Compares a fused goal with its program as it stands, to the bit. GOAL and PLAIN call the two with `out`, which has
   RESULTS elements. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float random_float(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (float)(int64_t)(state % 2001) / 1000.0f - 1.0f;
}

static float *filled(int64_t count)
{
    float *p = malloc((size_t)(count > 0 ? count : 1) * sizeof *p);
    for (int64_t i = 0; i < count; i++) p[i] = random_float();
    return p;
}

static int agrees(int64_t m, int64_t n, int64_t k)
{
    float *a = filled(m * k), *b = filled(k * n), *c = filled(m * n + n);
    float *got = filled(RESULTS), *wanted = filled(RESULTS);
    float *out = got;
    int failed = GOAL;
    out = wanted;
    failed |= PLAIN;
    failed |= memcmp(got, wanted, (size_t)(RESULTS) * sizeof *got) != 0;
    if (failed) fprintf(stderr, "%ld x %ld x %ld\n", (long)m, (long)n, (long)k);
    free(a), free(b), free(c), free(got), free(wanted);
    return !failed;
}

int main(void)
{
    long checked = 0;
    for (int64_t m = 0; m <= 20; m++)
        for (int64_t n = 0; n <= 20; n++)
            for (int64_t k = 0; k <= 3; k++, checked++)
                if (!agrees(m, n, k)) return 1;
    const int64_t large[][3] = {{37, 41, 43}, {300, 35, 17}, {64, 64, 64}, {1, 100, 9}, {129, 1, 65}};
    for (int i = 0; i < 5; i++, checked++)
        if (!agrees(large[i][0], large[i][1], large[i][2])) return 1;
    printf("%ld\n", checked);
    return 0;
}
