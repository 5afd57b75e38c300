/* Tables of the state of the mover and of TDMA-RISC, for saving and hashing. */
#include "base/mix.h"
#include "base/state_rows.h"
#include "tensix/mover/mover.h"
#include "tensix/state.h"

#define T struct mover_task
static const struct state_member task_members[] = {
    SAVED(to),
    SAVED(from),
    SEEN(units),
    MOST(direction, uint8_t, MOVER_L1_L1),
};
static const struct state_table task_state = STATE_TABLE("mover_task", T, task_members);
#undef T

#define T struct tdma_command
static const struct state_member command_members[] = { SEEN(word), SAVED(parameter), INNER(task, task_state) };
static const struct state_table command_state = STATE_TABLE("tdma_command", T, command_members);
#undef T

static uint64_t see_commands(uint64_t hash, const void *block, uint64_t now) {
    const struct tdma *tdma = block;
    for (unsigned i = 0; i < tdma->commands; i++)
        hash = state_hash(hash, &command_state, &tdma->queue[i], now);
    return hash;
}

#define T struct tdma
static const struct state_member tdma_members[] = {
    SEEN(parameter),
    SEEN(base),
    VIEW_INNER(queue, command_state, see_commands),
    MOST(commands, uint8_t, TDMA_COMMANDS),
    MOST(credits_taken, uint8_t, TDMA_CREDITS),
    SAVED(free_at),
    SAVED(write_at),
    SAVED(write_address),
    SAVED(write_size),
    SAVED(write_data),
    SEEN(unpack_address),
    SEEN(scaler),
    SEEN(pack_address),
    SAVED(set_reg_acc),
};
static const struct state_table tdma_state = STATE_TABLE("tdma", T, tdma_members);
#undef T

static uint64_t see_busy(uint64_t hash, const void *block, uint64_t now) {
    const struct mover *mover = block;
    return mix(hash, state_cycles_left(mover->busy_until, now));
}

#define T struct mover
static const struct state_member mover_members[] = {
    INNER(task, task_state),  VIEW_TIME(busy_until, see_busy), SAVED(write_at), SAVED(in_group),
    MOST(thread, uint8_t, 3), INNER(tdma, tdma_state),         SAVED(due),
};
const struct state_table mover_state = STATE_TABLE("mover", T, mover_members);
#undef T
