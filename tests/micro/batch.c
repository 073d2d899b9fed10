/* Checks kernels of batches of square products of fixed sizes, as check.c does. CHECK_ALL
   calls `batch` for each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*kernel)(float *restrict, int64_t, const float *restrict, const float *restrict);

static void batch(kernel f, int size, int64_t t)
{
    int64_t each = (int64_t)size * size, all = t * each;
    float *a = malloc((all + 1) * 4), *b = malloc((all + 1) * 4), *out = malloc((all + 32) * 4);
    for (int64_t i = 0; i < all; i++) {
        a[i] = (float)(rand() % 2001) / 1000.0f - 1.0f;
        b[i] = (float)(rand() % 2001) / 1000.0f - 1.0f;
    }
    memset(out, 0x5a, (all + 32) * 4);
    if (f(out + 16, t, a, b)) { fprintf(stderr, "size %d: refused\n", size); exit(1); }
    for (int64_t i = 0; i < all; i++) {
        int64_t base = i / each * each, row = i % each / size, col = i % size;
        float sum = 0;
        for (int l = 0; l < size; l++) sum += a[base + row * size + l] * b[base + l * size + col];
        if (memcmp(&sum, &out[16 + i], 4)) { fprintf(stderr, "size %d: wrong at %lld\n", size, (long long)i); exit(1); }
    }
    for (int i = 0; i < 64; i++)
        if (((char *)out)[i] != 0x5a || ((char *)(out + 16 + all))[i] != 0x5a) {
            fprintf(stderr, "size %d: wrote beside the result\n", size);
            exit(1);
        }
    free(a);
    free(b);
    free(out);
}

int main(void)
{
    long checked = 0;
    for (int64_t t = 0; t < 6; t++) {
        CHECK_ALL
    }
    printf("%ld\n", checked);
    return 0;
}
