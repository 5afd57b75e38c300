/* The tables of state (base/state.h) of the NoC. */
#ifndef NOC_TABLE_H
#define NOC_TABLE_H

#include "base/state.h"

extern const struct state_table transaction_state, niu_state, overlay_state;

#endif
