/* The functions that a freestanding compiler expects, and functions that write text. */
#include "bhemu_guest.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    char *t = to;
    const char *f = from;
    while (size--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    char *t = to;
    const char *f = from;
    if (t <= f)
        return memcpy(to, from, size);
    while (size--)
        t[size] = f[size];
    return to;
}

void *memset(void *to, int byte, size_t size) {
    char *t = to;
    while (size--)
        *t++ = (char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *p = a, *q = b;
    for (; size; size--, p++, q++)
        if (*p != *q)
            return *p - *q;
    return 0;
}

char *put_text(char *at, const char *text) {
    while ((*at = *text++))
        at++;
    return at;
}

char *put_number(char *at, uint32_t number) {
    char digits[10];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *at++ = digits[--count];
    *at = 0;
    return at;
}

char *put_hex(char *at, uint32_t number) {
    for (int shift = 28; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[number >> shift & 15];
    *at = 0;
    return at;
}
