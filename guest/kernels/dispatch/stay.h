/* The end of a program that is never unloaded: reports the end, and stays in a loop. */
#ifndef STAY_H
#define STAY_H

#include "bhemu_guest.h"

_Noreturn static inline void stay(uint32_t result) {
    *(volatile uint32_t *)GUEST_RESULT(GUEST_CORE) = result;
    for (;;)
        fence();
}

#endif
