/* T0 hands three banks of SrcA over, T1 gives two back: the next kernel begins with a bank that holds a tile of this
 * one. tt-llk #1144. */
/* expect: SRC SUSPECT */
/* second: _exit */
#include "corpus.h"
#include "kit/math.h"
#include "kit/unpack.h"

#ifdef BROKEN
enum { GIVEN = 3 };
#else
enum { GIVEN = 2 };
#endif

STEP void unpack(void) { // first
    unpack_a(IN);
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    for (unsigned i = 0; i < GIVEN; i++)
        unpack();
    finish();
    return 0;
}

int trisc1(void) {
    math_init(0, 0);
    copy_init(0);
    for (unsigned i = 0; i < 2; i++)
        math_run(0);
    finish();
    return 0;
}
