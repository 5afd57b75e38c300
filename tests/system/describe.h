/* Systems that are made from a text, for the tests of descriptors. */
#ifndef TESTS_SYSTEM_DESCRIBE_H
#define TESTS_SYSTEM_DESCRIBE_H

#include "support/chip.h"

static inline bh_system *make_empty(void) {
    bh_system *system;
    assert_int_equal(bh_system_create(&system), BH_OK);
    return system;
}

static inline bh_system *describe(const char *text) {
    bh_system *system = make_empty();
    if (bh_system_describe(system, text, strlen(text)) != BH_OK)
        fail_msg("%s\n%s", bh_system_message(system), text);
    return system;
}

/* The text is refused with this message, and adds nothing. */
static inline void assert_refused(const char *text, const char *message) {
    bh_system *system = make_empty();
    if (bh_system_describe(system, text, strlen(text)) != BH_ERR_ARGUMENT)
        fail_msg("not refused: %s\n%s", message, text);
    assert_says(bh_system_message(system), message);
    assert_int_equal(bh_system_chip_count(system) + bh_system_link_count(system), 0);
    bh_system_destroy(system);
}

/* Returns the number of cables between two chips. */
static inline unsigned cables(bh_system *system, unsigned a, unsigned b) {
    struct bh_link link;
    unsigned count = 0;
    for (unsigned i = 0; bh_system_link_at(system, i, &link) == BH_OK; i++)
        count += (link.chip[0] == a && link.chip[1] == b) || (link.chip[0] == b && link.chip[1] == a);
    return count;
}

/* Returns the upper word of the board id, which tells the kind of the board. */
static inline uint32_t board_word(bh_system *system, unsigned chip) {
    return read_word(bh_system_chip(system, chip), (struct bh_xy){ 20, 25 }, 0x7CFC4);
}

enum { P150 = 0x400, P300 = 0x440, GALAXY = 0x470 };

#endif
