/* Gives a kernel indices of which one is out of bounds, at each place in turn; `gathered`, the error code and FAR, a count
   that has threads, stand above this text. */
#include <stdio.h>
#include <stdlib.h>

enum { BOUND = 7 };

static int64_t asked;

static void ask(int64_t *at, int64_t count, int64_t place, int64_t index)
{
    static float xs[BOUND], out[FAR];
    const int64_t own = at[place];
    at[place] = index;
    for (int64_t i = 0; i < count; i++) out[i] = 5;
    const int outside = index < 0 || index >= BOUND;
    const int code = gathered(out, count, BOUND, at, xs);
    int written = 0;
    for (int64_t i = 0; i < count; i++) written |= out[i] != 5;
    if (code != (outside ? GATHERED_ERR_INDEX : 0) || written == outside) {
        fprintf(stderr, "%lld at %lld of %lld: %d\n", (long long)index, (long long)place, (long long)count, code);
        exit(1);
    }
    at[place] = own;
    asked++;
}

int main(void)
{
    static int64_t at[FAR];
    const int64_t indices[] = {0, BOUND - 1, -1, BOUND, BOUND + 1, INT64_MIN, INT64_MIN + BOUND, INT64_MAX, INT64_MAX - BOUND};
    const int64_t counts[] = {1, 2, 7, 8, 9, 31, 64, 100, FAR};
    for (int64_t i = 0; i < FAR; i++) at[i] = i % BOUND;
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int64_t place = 0; place < counts[c]; place += counts[c] > 100 ? 9973 : 1)
            for (unsigned i = 0; i < sizeof indices / sizeof *indices; i++) ask(at, counts[c], place, indices[i]);
    printf("%lld\n", (long long)asked);
    return 0;
}
