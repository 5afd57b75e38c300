/* As E00_answer_not_awaited, but the two messages come so fast that the other side sees only the second. Its answer
 * comes after both, so that nothing is out of order: a message is lost all the same. */
/* expect: LOST_MESSAGE SUSPECT */
/* tiles: 1,2 2,2 */
#include "corpus.h"
#include "kit/noc.h"

STEP void send(void) { // first, second
    noc_write(noc_tile(FAR_X, ROW_Y), FLAG, IN, 4);
}

static void answer(void) {
    while (!*word_at(FLAG))
        fence();
    *word_at(FLAG) = 0;
    noc_stores_done(FLAG);
    noc_increment(noc_tile(NEAR_X, ROW_Y), FLAG2, 1);
}

int brisc(void) {
    noc_init();
    if (my_x() == FAR_X) {
        answer();
        do_other_work(4000);
        answer();
#ifndef BROKEN
        answer();
#endif
        noc_atomics_done();
        return 0;
    }
    fill(IN, 4, 1);
    send();
    wait_for(word_at(FLAG2), 1);
    send();
#ifndef BROKEN
    wait_for(word_at(FLAG2), 2);
#endif
    send();
    noc_writes_done();
    return 0;
}
