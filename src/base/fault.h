/* The state table of struct bh_fault (state.h explains such tables). */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include "base/state.h"

extern const struct state_table fault_state;

#endif
