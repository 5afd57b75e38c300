/* All five cores of a tile work together. BRISC starts the others, then a number travels
 *
 *     BRISC -> TRISC0 -> TRISC1 -> TRISC2 -> BRISC      by mailbox, each adding its share,
 *     BRISC -> NCRISC -> BRISC                          by words in L1, as NCRISC has no mailboxes.
 */
#include "bhemu_guest.h"

/* At an address in L1 that all five programs know. */
struct shared {
    volatile uint32_t question, asked, answer, answered;
};
#define shared ((struct shared *)GUEST_SHARED)

GUEST_L1 char message[96];

int brisc(void) {
    uint64_t start = wall_clock();
    uint32_t seed = my_x() * 100 + my_y();
    release_cores(RESET_TRISC0 | RESET_TRISC1 | RESET_TRISC2 | RESET_NCRISC);

    mailbox_send(GUEST_TRISC0, seed);
    shared->question = seed;
    shared->asked = 1;
    uint32_t sum = mailbox_receive(GUEST_TRISC2);
    wait_for(&shared->answered, 1);

    char *at = put_number(put_text(message, "tile "), my_x());
    at = put_number(put_text(at, ","), my_y());
    at = put_number(put_text(at, ": three TRISCs made it "), sum);
    at = put_number(put_text(at, ", NCRISC squared it to "), shared->answer);
    at = put_number(put_text(at, ", "), (uint32_t)(wall_clock() - start));
    put_text(at, " cycles\n");
    return sum == seed + 6 && shared->answer == seed * seed ? 0 : 1;
}

int ncrisc(void) {
    wait_for(&shared->asked, 1);
    shared->answer = shared->question * shared->question;
    fence();
    shared->answered = 1;
    return 0;
}

/* A TRISC: adds its number (1, 2 or 3) and passes the sum on. */
static int add_and_pass(unsigned from, unsigned to) {
    uint32_t number = mailbox_receive(from) + GUEST_CORE;
    mailbox_send(to, number);
    return (int)number;
}

int trisc0(void) {
    return add_and_pass(GUEST_BRISC, GUEST_TRISC1);
}

int trisc1(void) {
    return add_and_pass(GUEST_TRISC0, GUEST_TRISC2);
}

int trisc2(void) {
    return add_and_pass(GUEST_TRISC1, GUEST_BRISC);
}
