/* y += a * x on 64 integers with the vector unit, which only TRISC2 has (VLEN 128: four words at a time). */
#include "bhemu_guest.h"

#define COUNT 64

GUEST_L1 int32_t x[COUNT] __attribute__((aligned(16)));
GUEST_L1 int32_t y[COUNT] __attribute__((aligned(16)));

static void axpy(int32_t a, const int32_t *from, int32_t *to, size_t count) {
    while (count) {
        size_t now;
        __asm__ volatile(".option push\n\t"
                         ".option arch, +zve32x\n\t"
                         "vsetvli %[now], %[count], e32, m1, ta, ma\n\t"
                         "vle32.v v1, (%[from])\n\t"
                         "vle32.v v2, (%[to])\n\t"
                         "vmacc.vx v2, %[a], v1\n\t"
                         "vse32.v v2, (%[to])\n\t"
                         ".option pop"
                         : [now] "=&r"(now)
                         : [count] "r"(count), [from] "r"(from), [to] "r"(to), [a] "r"(a)
                         : "memory");
        count -= now;
        from += now;
        to += now;
    }
}

int main(void) {
    for (int32_t i = 0; i < COUNT; i++) {
        x[i] = i - 32;
        y[i] = 1000 + i;
    }
    axpy(7, x, y, COUNT);
    for (int32_t i = 0; i < COUNT; i++)
        if (y[i] != 1000 + i + 7 * (i - 32))
            return 1 + i;
    return 0;
}
