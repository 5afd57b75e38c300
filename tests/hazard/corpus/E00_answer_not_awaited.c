/* BRISC sends messages to a word of another tile, whose BRISC answers each by a store of 0 to the same word and counts
 * the answers on this tile. The next message does not wait for the count: the answer to the last one may wipe it. So do
 * go messages of dispatchers that do not wait for their workers. */
/* expect: LOST_MESSAGE RACE */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"

enum { MESSAGES = 3 };

STEP void answer(void) { // first
    *word_at(FLAG) = 0;
    noc_stores_done(FLAG);
    noc_increment(noc_tile(NEAR_X, ROW_Y), FLAG2, 1);
}

STEP void send(void) { // second
    noc_write(noc_tile(FAR_X, ROW_Y), FLAG, IN, 4);
}

int brisc(void) {
    noc_init();
    if (my_x() == FAR_X) {
        for (unsigned i = 0; i < MESSAGES; i++) {
            while (!*word_at(FLAG))
                fence();
            answer();
        }
        noc_atomics_done();
        return 0;
    }
    fill(IN, 4, 1);
    for (unsigned i = 0; i < MESSAGES; i++) {
        send();
#ifdef BROKEN
        do_other_work(4000);
#else
        wait_for(word_at(FLAG2), i + 1);
#endif
    }
    noc_writes_done();
    return 0;
}
