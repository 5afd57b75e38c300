/* A good request of each kind, for tests to change. */
#ifndef TESTS_NOC_COMMANDS_H
#define TESTS_NOC_COMMANDS_H

#include "bench.h"

enum { SELF_X = 2, SELF_Y = 5 };

static inline struct command a_read(void) {
    return (struct command){
        .ctrl = READ,
        .targ = 0x1010,
        .targ_hi = at(10, 7),
        .ret = 0x2010,
        .ret_hi = at(SELF_X, SELF_Y),
        .length = 100,
    };
}

static inline struct command a_write(void) {
    return (struct command){
        .ctrl = WRITE,
        .targ = 0x1010,
        .targ_hi = at(SELF_X, SELF_Y),
        .ret = 0x2010,
        .ret_hi = at(10, 7),
        .length = 100,
    };
}

static inline struct command an_inline(void) {
    return (
        struct command){ .ctrl = WRITE | INLINE, .targ = 0xFFB40438, .targ_hi = at(10, 7), .data = 0x40, .length = 15 };
}

static inline struct command an_atomic(void) {
    return (struct command){
        .ctrl = ATOMIC | MARKED,
        .targ = 0x1014,
        .targ_hi = at(10, 7),
        .ret = 4,
        .ret_hi = at(SELF_X, SELF_Y),
        .length = 0x107D,
        .data = 3,
    };
}

#endif
