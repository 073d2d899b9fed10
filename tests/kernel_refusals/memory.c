/* Stands above the kernels: allocations that fail when they are told to, and are counted. */
#include <stdlib.h>

/* Which allocation from now on fails; none if it is 0. */
static int failing;
/* What is allocated and not yet freed; all there ever was. */
static long alive, allocations;

static void *test_alloc(size_t bytes)
{
    allocations++;
    if (failing > 0 && --failing == 0) return NULL;
    void *p = malloc(bytes);
    if (p) alive++;
    return p;
}

static void test_free(void *p)
{
    if (p) alive--;
    free(p);
}

#define malloc test_alloc
#define free test_free
