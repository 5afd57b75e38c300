/* The tables of state (base/state.h) of the coprocessor's parts. */
#ifndef TENSIX_STATE_H
#define TENSIX_STATE_H

#include "base/state.h"

/* frontend/ */
extern const struct state_table frontend_state, gate_state;
/* regs/ */
extern const struct state_table adc_state, rwc_state, src_state, dst_state, packer_state;
/* The units; the others have their tables in state.c */
extern const struct state_table config_state, mover_state, pack_state, unpack_state, vector_state;

/* Returns the number of cycles left until `time`; 0 if it is past. A hash contains times in this form where only the
 * distance matters. */
static inline uint64_t state_cycles_left(uint64_t time, uint64_t now) {
    return time > now ? time - now : 0;
}

#endif
