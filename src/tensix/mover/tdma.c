/* TDMA-RISC: the command queue, and the registers from 0xFFB11000 on.
 *
 *     offset          write                               read
 *     000 004 008 00C parameters of the next command      0
 *     010             a command                           0
 *     014                                                 status: see below
 *     018 (058 098)                                       size of the packer's last tile, if T0 (T1, T2) packed it
 *     01C (05C 09C)   clears sizes, sets the offset       low half: sizes of T0's (T1's, T2's) tiles together
 *     020                                                 the packer's all-zero flags
 *     024             stores all bits but 7              the stored bits
 *     028             stores 6:0 and 24:16, the latter    the stored bits
 *                     also as scaler 3 of PACR_SETREG
 *     02C             base of the core's short commands   that base
 *     030                                                 the size of the first tile in the packer's FIFO, waits for it
 *     034             takes that tile out                 its all-zero flags, and takes it out
 *     038             the addresses of PACR_SETREG        31:8 what was written, 7:0 empty and full of four FIFOs
 *     03C 13C         scalers 0 to 2 of PACR_SETREG       those, 27: T2's packer is busy, 31: bit 16 of the sum of
 *                                                         UNPACR_NOP
 *
 *     status          0 mover busy, 2 and 3 commands full and empty, 4 and 5 parameters full and empty, 15:8 room
 *
 * The pages have four packers, with a column of registers each, 0x100 apart; Blackhole has one, and nothing is known of
 * the other columns. TDMA-RISC executes one command a cycle, in the cycle in which it is written if possible. Its
 * effects are visible from the next cycle on, those of 0x66 on L1 from the one after that. Inexact: the base of a short
 * command is read when the command is written; according to the page, it is read when the mover takes the command.
 * Source: TDMA-RISC.md (WH). */
#include <string.h>

#include "base/bits.h"
#include "isa/memmap.h"
#include "tensix/mover/mover.h"
#include "tensix/clock.h"

enum opcode { OPCODE_MOVE = 0x40, OPCODE_WAIT = 0x46, OPCODE_WRITE = 0x66, OPCODE_NOP = 0x89 };

static bool is_short(uint32_t command) {
    return command >> 31;
}

/* ---- The queue ------------------------------------------------------------------------------------------ */

static bool needs_mover(const struct tdma_command *command) {
    uint8_t opcode = (uint8_t)command->word;
    return opcode == OPCODE_MOVE || opcode == OPCODE_WAIT;
}

static void start_write(struct tdma *tdma, const struct tdma_command *command, uint64_t now) {
    BH_ASSERT(tdma->write_at == TENSIX_NEVER || tdma->write_at <= now);
    tdma->write_at = now + 1;
    tdma->write_address = command->parameter[0];
    tdma->write_size = command->word & 0x100 ? 8 : 4;
    tdma->write_data[0] = command->parameter[2];
    tdma->write_data[1] = command->parameter[3];
}

static void act(struct tensix *x, const struct tdma_command *command, uint64_t now) {
    switch ((uint8_t)command->word) {
    case OPCODE_MOVE:
        if (!(x->held & REG_HOLD_MOVER)) /* in soft reset, the task is discarded */
            mover_start(x, &command->task, TENSIX_THREADS, now);
        break;
    case OPCODE_WRITE: start_write(&x->mover.tdma, command, now); break;
    default: break; /* wait (the command was already held until here), or NOP */
    }
}

static void take_first(struct tensix *x, uint64_t now) {
    struct tdma *tdma = &x->mover.tdma;
    struct tdma_command first = tdma->queue[0];
    BH_ASSERT(tdma->commands && tdma->free_at <= now);
    BH_ASSERT(is_short(first.word) || tdma->credits_taken);
    tdma->commands--;
    memmove(&tdma->queue[0], &tdma->queue[1], tdma->commands * sizeof tdma->queue[0]);
    if (!is_short(first.word))
        tdma->credits_taken--;
    tdma->free_at = now + 1;
    act(x, &first, now);
    tensix_wake(x, now + 1);
}

static void write_l1(struct tensix *x, uint64_t now) {
    struct tdma *tdma = &x->mover.tdma;
    tensix_l1_changes(x, tdma->write_address, tdma->write_size);
    memcpy(&x->l1[tdma->write_address], tdma->write_data, tdma->write_size);
    tdma->write_at = TENSIX_NEVER;
    x->port->l1_written(x->owner, BH_TRACK_MOVER, tdma->write_address, tdma->write_size, now + 1);
}

void tdma_advance(struct tensix *x, uint64_t now) {
    struct tdma *tdma = &x->mover.tdma;
    if (tdma->write_at == now)
        write_l1(x, now);
    if (tdma->commands && tdma->free_at <= now && (!needs_mover(&tdma->queue[0]) || mover_is_free(x, now)))
        take_first(x, now);
}

/* Returns the cycle in which the first command can be executed. TENSIX_NEVER if it waits for the mover: the end of the
 * mover's task starts it. */
static uint64_t next_take(const struct tensix *x) {
    const struct tdma *tdma = &x->mover.tdma;
    bool waits = !tdma->commands || (needs_mover(&tdma->queue[0]) && x->mover.task.units);
    return waits ? TENSIX_NEVER : tdma->free_at;
}

uint64_t tdma_due(const struct tensix *x) {
    uint64_t take = next_take(x), write_at = x->mover.tdma.write_at;
    return take < write_at ? take : write_at;
}

/* ---- Commands ------------------------------------------------------------------------------------------- */

static struct mover_task decode(const struct tdma_command *command, uint32_t base) {
    uint32_t word = command->word;
    if (is_short(word))
        return (struct mover_task){
            .from = (base + bits_get(word, 8, 8)) * MOVER_UNIT,
            .to = bits_get(word, 16, 8) * MOVER_UNIT,
            .units = bits_get(word, 24, 6),
            .direction = bits_get(word, 30, 1) ? MOVER_L1_L1 : MOVER_L1_OTHER,
        };
    return (struct mover_task){
        .from = command->parameter[0] * MOVER_UNIT,
        .to = command->parameter[1] * MOVER_UNIT,
        .units = command->parameter[2] & 0xFFFF,
        .direction = command->parameter[3] & 3,
    };
}

/* Returns why the command cannot be executed, or NULL if it can. */
static const char *write_refuses(const struct tdma_command *command) {
    uint32_t size = command->word & 0x100 ? 8 : 4, address = command->parameter[0];
    if (is_short(command->word))
        return "command 0x66 (a write to L1) with bit 31, without parameters, is undefined";
    if ((command->word & 0x600) != 0x600)
        return "command 0x66 (a write to L1) without bits 9 and 10 is undefined";
    if (address >= memmap[MEMMAP_ROW_L1].size)
        return "command 0x66 writes outside L1, which has 1536 KiB";
    if (address % size)
        return "command 0x66 writes to an address that is not a multiple of the size";
    return NULL;
}

static const char *command_refuses(const struct tdma *tdma, const struct tdma_command *command) {
    if (!is_short(command->word) && tdma->credits_taken == TDMA_CREDITS)
        return "two commands with parameters wait already, and a third is undefined: put a NOP (0x80000089) after each";
    switch ((uint8_t)command->word) {
    case OPCODE_MOVE: return mover_refuses(&command->task);
    case OPCODE_WRITE: return write_refuses(command);
    case OPCODE_WAIT:
    case OPCODE_NOP: return NULL;
    default: return "TDMA-RISC has no such command, only 0x40 (move), 0x46 (wait), 0x66 (write to L1) and 0x89 (NOP)";
    }
}

static struct access enqueue(struct tensix *x, unsigned who, uint32_t word, uint64_t now) {
    struct tdma *tdma = &x->mover.tdma;
    struct tdma_command command = { .word = word };
    if (tdma->commands == TDMA_COMMANDS)
        return access_wait(WAIT_TDMA_ROOM);
    if (!is_short(word))
        memcpy(command.parameter, tdma->parameter, sizeof command.parameter);
    if ((uint8_t)word == OPCODE_MOVE)
        command.task = decode(&command, tdma->base[who]);
    const char *why = command_refuses(tdma, &command);
    if (why)
        return access_refused(BH_FAULT_UNDEFINED, why);
    if (!is_short(word))
        tdma->credits_taken++;
    tdma->queue[tdma->commands++] = command;
    tdma_advance(x, now);
    mover_set_due(x);
    return access_done();
}

void tdma_reset(struct tensix *x) {
    struct tdma *tdma = &x->mover.tdma;
    tdma->commands = tdma->credits_taken = 0;
    memset(tdma->parameter, 0, sizeof tdma->parameter);
    memset(x->packer.set_reg_base, 0, sizeof x->packer.set_reg_base);
    memset(x->packer.set_reg_scaler, 0, sizeof x->packer.set_reg_scaler);
    mover_set_due(x);
}

/* ---- Registers ------------------------------------------------------------------------------------------ */

enum {
    AT_PARAMETERS = 0x00,
    AT_COMMAND = 0x10,
    AT_STATUS = 0x14,
    AT_SIZE = 0x18,
    AT_SIZES = 0x1C,
    AT_ZERO_FLAGS = 0x20,
    AT_UNPACK_ADDRESS = 0x24,
    AT_SCALER3 = 0x28,
    AT_BASE = 0x2C,
    AT_FIFO_SIZE = 0x30,
    AT_FIFO_FLAGS = 0x34,
    AT_PACK_ADDRESS = 0x38,
    AT_SCALERS0 = 0x3C,
    AT_SCALERS1 = 0x13C,
};

static struct access no_register(void) {
    return access_refused(BH_FAULT_UNMAPPED, "there is no register at this offset");
}

static struct access no_packer(void) {
    return access_refused(BH_FAULT_UNDEFINED, "it is of a packer other than 0, and Blackhole has one");
}

static struct access fifo_is_empty(void) {
    return access_refused(BH_FAULT_UNDEFINED, "the packer's FIFO is empty, which gives undefined data");
}

/* A register: its number AT_..., and the thread that it is for. */
struct tdma_register {
    unsigned at, thread;
};

/* Finds the register at an offset. Registers of sizes exist for each thread, and those of packers for each packer. */
static struct access find(uint32_t offset, struct tdma_register *found) {
    unsigned packer = offset >> 8, thread = offset >> 6 & 3, at = offset & 0x3C;
    bool of_thread = at == AT_SIZE || at == AT_SIZES;
    bool of_packer = of_thread || at == AT_ZERO_FLAGS || at == AT_FIFO_SIZE || at == AT_FIFO_FLAGS;
    *found = (struct tdma_register){ at, thread };
    if (offset == AT_SCALERS1)
        found->at = AT_SCALERS1;
    else if (packer >= 4 || thread == 3 || (thread && !of_thread) || (packer && !of_packer))
        return no_register();
    else if (packer)
        return no_packer();
    return access_done();
}

static uint32_t status(const struct tensix *x, uint64_t time) {
    const struct tdma *tdma = &x->mover.tdma;
    unsigned room = TDMA_COMMANDS - (unsigned)tdma->commands;
    return (uint32_t)(x->mover.busy_until > time) | (uint32_t)(room == 0) << 2 | (uint32_t)(tdma->commands == 0) << 3 |
           (uint32_t)(tdma->credits_taken == TDMA_CREDITS) << 4 | (uint32_t)(tdma->credits_taken == 0) << 5 | room << 8;
}

static uint32_t fifo_status(const struct tensix *x) {
    enum { OTHERS_ARE_EMPTY = 0x54 };
    const struct packer *packer = &x->packer;
    return x->mover.tdma.pack_address << 8 | OTHERS_ARE_EMPTY | (uint32_t)(packer->tiles == 0) |
           (uint32_t)(packer->tiles == PACKER_TILES) << 1;
}

static uint32_t scalers(const struct tensix *x, unsigned unpacker, uint64_t time) {
    const uint16_t *scaler = x->packer.set_reg_scaler;
    bool busy = x->thread[2].busy[TENSIX_BUSY_PACK] > time;
    return scaler[0] | (uint32_t)scaler[1] << 9 | (uint32_t)scaler[2] << 18 | (uint32_t)busy << 27 |
           bits_get(x->mover.tdma.set_reg_acc[unpacker], 16, 1) << 31;
}

static uint32_t sizes(const struct tensix *x, unsigned thread) {
    return x->mover.tdma.set_reg_acc[0] << 16 | x->packer.acc_tile_size[thread];
}

/* Accesses of the coprocessor itself count as those of TRISC0. */
static unsigned base_of(const struct tensix *x, enum bh_core core) {
    return x->running ? BH_TRISC0 : core;
}

static struct access first_tile(const struct packer *packer, unsigned at, uint32_t *value) {
    if (at == AT_FIFO_SIZE && !packer->tiles)
        return access_wait(WAIT_PACKED_TILE);
    if (!packer->tiles)
        return fifo_is_empty();
    *value = at == AT_FIFO_SIZE ? packer->tile[0].size : packer->tile[0].zero_flags;
    return access_done();
}

struct access tensix_tdma_peek(const struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time,
                               uint32_t *value) {
    const struct packer *packer = &x->packer;
    struct tdma_register found;
    struct access access = find(offset, &found);
    if (access.result != ACCESS_DONE)
        return access;
    if (x->loose && time < x->time) /* no event would wake the core when its own time reaches x->time */
        time = x->time;
    switch (found.at) {
    case AT_STATUS: *value = status(x, time); break;
    case AT_SIZE: *value = packer->last_thread == found.thread ? packer->last_tile_size : 0; break;
    case AT_SIZES: *value = sizes(x, found.thread); break;
    case AT_ZERO_FLAGS: *value = packer->all_zero_flags; break;
    case AT_UNPACK_ADDRESS: *value = x->mover.tdma.unpack_address; break;
    case AT_SCALER3: *value = x->mover.tdma.scaler; break;
    case AT_BASE: *value = x->mover.tdma.base[base_of(x, core)]; break;
    case AT_FIFO_SIZE:
    case AT_FIFO_FLAGS: return first_tile(packer, found.at, value);
    case AT_PACK_ADDRESS: *value = fifo_status(x); break;
    case AT_SCALERS0: *value = scalers(x, 0, time); break;
    case AT_SCALERS1: *value = scalers(x, 1, time); break;
    default: *value = 0; break;
    }
    return access_done();
}

struct access tensix_tdma_read(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t *value) {
    tensix_run(x, time);
    struct access access = tensix_tdma_peek(x, core, offset, time, value);
    if (access.result == ACCESS_DONE && offset == AT_FIFO_FLAGS) {
        packer_pop_tile(&x->packer);
        x->port->event(x->owner, time + 1, BH_ALL_CORES);
    }
    return access;
}

static void set_scalers(struct packer *packer, uint32_t value) {
    for (unsigned i = 0; i < 3; i++)
        packer->set_reg_scaler[i] = (uint16_t)bits_get(value, 9 * i, 9);
}

static void set_scaler3(struct tensix *x, uint32_t value) {
    x->mover.tdma.scaler = value & 0x01FF007F;
    x->packer.set_reg_scaler[3] = (uint16_t)bits_get(value, 16, 9);
}

static void set_pack_address(struct tensix *x, uint32_t value) {
    x->mover.tdma.pack_address = value;
    for (unsigned i = 0; i < 2; i++)
        x->packer.set_reg_base[i] = bits_get(value, 20 + 2 * i, 2) << 18 | bits_get(value, 10 * i, 10) << 2;
}

/* Bits 19:16 of the value select packers. */
static void clear_sizes(struct packer *packer, uint32_t value) {
    if (!bits_get(value, 16, 1))
        return;
    memset(packer->acc_tile_size, 0, sizeof packer->acc_tile_size);
    packer->l1_dest_addr_offset = (uint16_t)value;
}

static struct access pop_tile(struct packer *packer) {
    if (!packer->tiles)
        return fifo_is_empty();
    packer_pop_tile(packer);
    return access_done();
}

/* now: the cycle of the write. */
static struct access write(struct tensix *x, unsigned who, unsigned at, uint32_t value, uint64_t now) {
    switch (at) {
    case AT_PARAMETERS:
    case AT_PARAMETERS + 4:
    case AT_PARAMETERS + 8:
    case AT_PARAMETERS + 12: x->mover.tdma.parameter[at / 4] = value; break;
    case AT_COMMAND: return enqueue(x, who, value, now);
    case AT_SIZES: clear_sizes(&x->packer, value); break;
    case AT_UNPACK_ADDRESS: x->mover.tdma.unpack_address = value & 0xFFFFFF7F; break;
    case AT_SCALER3: set_scaler3(x, value); break;
    case AT_BASE: x->mover.tdma.base[who] = value; break;
    case AT_FIFO_FLAGS: return pop_tile(&x->packer);
    case AT_PACK_ADDRESS: set_pack_address(x, value); break;
    case AT_SCALERS0:
    case AT_SCALERS1: set_scalers(&x->packer, value); break;
    default: break; /* the register is read-only */
    }
    return access_done();
}

/* If the coprocessor has already run the core's cycle, the write takes effect in the last cycle that has been run. */
struct access tensix_tdma_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value) {
    struct tdma_register found;
    struct access access = find(offset, &found);
    if (access.result != ACCESS_DONE)
        return access;
    if (!tensix_run(x, time + 1))
        return access_later();
    if (!x->running && x->time > time + 1)
        time = x->time - 1;
    return clock_verified(x, write(x, base_of(x, core), found.at, value, time));
}

/* Registers that show whether the packer is busy are not steady: no event reports a change of that. */
bool tensix_tdma_steady(uint32_t offset) {
    struct tdma_register found;
    if (find(offset, &found).result != ACCESS_DONE)
        return false;
    switch (found.at) {
    case AT_STATUS:
    case AT_SIZE:
    case AT_SIZES:
    case AT_ZERO_FLAGS:
    case AT_UNPACK_ADDRESS:
    case AT_BASE:
    case AT_FIFO_SIZE:
    case AT_PACK_ADDRESS: return true;
    default: return false;
    }
}
