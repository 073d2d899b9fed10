/* Calls kernels with sizes that they refuse, with nothing to do, and without memory. CALLS are
   written above this text, and `kernels`, each of which takes sizes and arrays. */
#undef malloc
#undef free
#include <stdio.h>
#include <string.h>

enum { EDGE = 64, PATTERN = 0x5a };

static void fail(const struct call *c, const char *what, long number)
{
    fprintf(stderr, "%s: %s (%ld)\n", c->name, what, number);
    exit(1);
}

static int patterned(const unsigned char *from, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i++)
        if (from[i] != PATTERN) return 0;
    return 1;
}

/* An array that is not there has a negative length. */
static int called(const struct call *c, int untouched)
{
    unsigned char *room[ARRAYS] = {0};
    void *at[ARRAYS] = {0};
    for (int i = 0; i < c->arrays; i++) {
        if (c->bytes[i] < 0) continue;
        room[i] = aligned_alloc(64, (size_t)(c->bytes[i] + 2 * EDGE + 63) / 64 * 64);
        if (!room[i]) fail(c, "no memory for an array", i);
        memset(room[i], PATTERN, (size_t)c->bytes[i] + 2 * EDGE);
        at[i] = room[i] + EDGE;
        /* All numbers of inputs are 0: that is an index, too. */
        if (i >= c->outputs) memset(at[i], 0, (size_t)c->bytes[i]);
    }
    int code = kernels[c->kernel](c->sizes, at);
    if (alive != 0) fail(c, "memory was not freed", alive);
    for (int i = 0; i < c->arrays; i++) {
        if (!room[i]) continue;
        if (!patterned(room[i], EDGE) || !patterned(room[i] + EDGE + c->bytes[i], EDGE))
            fail(c, "wrote beside array", i);
        if (i < c->outputs && untouched && !patterned(at[i], c->bytes[i]))
            fail(c, "wrote and refused", i);
        free(room[i]);
    }
    return code;
}

/* Prints how many calls there were, and how many allocations failed. */
int main(void)
{
    long calls = 0, failed = 0;
    for (unsigned i = 0; i < sizeof calls_ / sizeof *calls_; i++, calls++) {
        const struct call *c = &calls_[i];
        int code = called(c, c->expected != 0);
        /* Less than 0 is any refusal. */
        if (c->expected < 0 ? code == 0 : code != c->expected) fail(c, "returned", code);
        if (!c->starve) continue;
        /* Each of its allocations fails once. */
        allocations = 0;
        called(c, 0);
        for (long n = 1, all = allocations; n <= all; n++, failed++) {
            failing = (int)n;
            code = called(c, 1);
            if (code != c->memory) fail(c, "returned without memory", code);
            if (failing) fail(c, "asked for less memory", n);
        }
    }
    printf("%ld %ld\n", calls, failed);
    return 0;
}
