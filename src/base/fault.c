/* The state table of struct bh_fault: see fault.h. */
#include "base/fault.h"

#include <string.h>

#include "base/state_rows.h"
#include "bhemu.h"

#define T struct bh_fault
static const struct state_member fault_members[] = {
    MOST(kind, enum bh_fault_kind, BH_FAULT_KIND_COUNT - 1),
    SAVED(tile),
    SAVED(core),
    SAVED(thread),
    SAVED(pc),
    SAVED(insn),
    SAVED(address),
    SAVED(cycle),
    SAVED(text),
};

static bool is_possible(const void *block) {
    const struct bh_fault *fault = block;
    return memchr(fault->text, '\0', sizeof fault->text) && fault->core >= -1 && fault->core < BH_CORE_COUNT &&
           fault->thread >= -1 && fault->thread < BH_THREADS;
}

const struct state_table fault_state = STATE_CHECKED_TABLE("bh_fault", T, fault_members, is_possible);
#undef T
