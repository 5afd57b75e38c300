/* T0 hands three banks of SrcA over, T1 gives two back: the next kernel begins with a bank that holds a tile of this
 * one. tt-llk #1144. */
/* expect: SRC RACE */
/* missed: nothing is out of order; it takes a count of banks at the end of a kernel */
#include "corpus.h"
#include "kit/math.h"
#include "kit/unpack.h"

#ifdef BROKEN
enum { GIVEN = 3 };
#else
enum { GIVEN = 2 };
#endif

int trisc0(void) {
    unpack_init(BF16, BF16);
    for (unsigned i = 0; i < GIVEN; i++)
        unpack_a(IN); // first
    finish();
    return 0;
}

int trisc1(void) {
    math_init(0, 0);
    copy_init(0);
    for (unsigned i = 0; i < 2; i++)
        math_run(0); // second
    finish();
    return 0;
}
