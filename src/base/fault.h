/* The table of state of struct bh_fault. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include "base/state.h"

extern const struct state_table fault_state;

#endif
