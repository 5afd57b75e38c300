/* Checks the primes below 1000 by a sieve: host FILE, which has 168 words. */
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv) {
    uint32_t primes[168];
    char multiple[1000] = { 0 };
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || fread(primes, sizeof primes, 1, file) != 1)
        return 2;
    unsigned count = 0, right = 0;
    for (unsigned n = 2; n < 1000; n++) {
        if (multiple[n])
            continue;
        right += count < 168 && primes[count] == n;
        count++;
        for (unsigned m = n * n; m < 1000; m += n)
            multiple[m] = 1;
    }
    printf("%u of %u primes are what the host finds\n", right, count);
    return right != count;
}
