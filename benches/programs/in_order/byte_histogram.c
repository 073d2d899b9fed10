#include <string.h>

int byte_histogram(int32_t *restrict out, int64_t n, const uint8_t *restrict xs)
{
    memset(out, 0, 256 * sizeof(int32_t));
    for (int64_t i = 0; i < n; i++) out[xs[i]]++;
    return 0;
}
