/* What an instruction that has passed its gate reads and writes, and what it orders, for the search for hazards
 * (hazard/hazard.h).
 *
 * An instruction of the Configuration Unit is over for its thread when one more instruction has passed. Arithmetic of
 * the Scalar Unit keeps its thread until it is over; only its memory requests go on by themselves.
 *
 * Not looked at: address counters, and the mover's commands by registers. ThreadConfig is written by its own
 * thread only, in order with what reads it; only fields that are lost (hazard/fields.c) are looked for. */
#include "base/order.h"
#include "hazard/hazard.h"
#include "isa/memmap.h"
#include "isa/overlay.h"
#include "tensix/scalar/unit.h"
#include "tensix/turn.h"

enum { BLOCK = 8, VECTOR_ROWS = 4, NO_UNIT = HAZARD_UNITS };
_Static_assert((int)HAZARD_JOBS == (int)UNPACK_JOBS, "one for each job");

/* ---- Waits ------------------------------------------------------------------------------------------------------- */

static const struct {
    uint16_t condition;
    uint8_t unit;
} conditions[] = {
    { GATE_C_MEMORY, HAZARD_SCALAR }, { GATE_C_UNPACK0, HAZARD_UNPACK0 }, { GATE_C_UNPACK1, HAZARD_UNPACK1 },
    { GATE_C_PACK, HAZARD_PACK },     { GATE_C_MATRIX, HAZARD_MATRIX },   { GATE_C_MOVER, HAZARD_MOVER },
    { GATE_C_VECTOR, HAZARD_VECTOR }, { GATE_C_CONFIG, HAZARD_CONFIG },   { GATE_C_MEMORY, HAZARD_SETTING },
};

static void stalled(struct hazard_tile *h, unsigned thread, unsigned condition) {
    for (unsigned i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        if (!(condition & conditions[i].condition))
            continue;
        hazard_thread_waited(h, thread, conditions[i].unit);
        if (conditions[i].condition & (GATE_C_MOVER | GATE_C_CONFIG)) /* these conditions concern all threads */
            hazard_thread_waited_for_all(h, thread, conditions[i].unit);
    }
    if (condition & GATE_C_RISCV)
        hazard_thread_waited_for_stores(h, thread);
}

static void saw_semaphores(struct tensix *x, unsigned thread, const struct hazard_wait *wait) {
    struct hazard_clock *clock = hazard_thread_clock(x->hazards, thread);
    for (unsigned left = wait->semaphores; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (wait->condition & GATE_SEM_ZERO)
            hazard_semaphore_not_zero(x->hazards, i, clock);
        if (wait->condition & GATE_SEM_MAX)
            hazard_semaphore_not_full(x->hazards, i, x->sync.semaphore[i].max, clock);
    }
}

static void saw_banks(struct tensix *x, unsigned thread, unsigned condition, const struct tensix_before *before) {
    static const unsigned valid[] = { GATE_C_SRCA_VALID, GATE_C_SRCB_VALID };
    static const unsigned free[] = { GATE_C_SRCA_FREE, GATE_C_SRCB_FREE };
    for (unsigned file = 0; file < UNPACKERS; file++) {
        if (condition & valid[file])
            hazard_thread_saw_valid(x->hazards, thread, file, before->bank[file]);
        if (condition & free[file])
            hazard_thread_saw_free(x->hazards, thread, file, x->src.unpacker_bank[file]);
    }
}

/* Records that an instruction which a latched wait has held comes after what the wait waited for. */
static void end_wait(struct tensix *x, unsigned thread, uint32_t word, const struct tensix_before *before) {
    struct hazard_wait *wait = &x->hazards->thread[thread].wait;
    if (!wait->opcode || !tensix_gate_holds(turn_gate_class[word >> 24], wait->block))
        return;
    if (wait->opcode == TENSIX_STALLWAIT) {
        stalled(x->hazards, thread, wait->condition);
        saw_banks(x, thread, wait->condition, before);
    } else if (wait->opcode == TENSIX_SEMWAIT)
        saw_semaphores(x, thread, wait);
    wait->opcode = 0;
}

static void latch_wait(struct tensix *x, unsigned thread) {
    const struct gate *gate = &x->thread[thread].gate;
    x->hazards->thread[thread].wait = (struct hazard_wait){
        .opcode = gate->opcode, .semaphores = gate->semaphores, .block = gate->block, .condition = gate->condition
    };
    hazard_thread_latches(x->hazards, thread);
}

/* ---- Semaphores -------------------------------------------------------------------------------------------------- */

static void change_semaphores(struct hazard_tile *h, unsigned thread, unsigned selected, bool up) {
    struct hazard_actor actor = hazard_thread_as(h, thread);
    for (unsigned left = selected & 0xFF; left; left &= left - 1)
        (up ? hazard_semaphore_up : hazard_semaphore_down)(h, (unsigned)__builtin_ctz(left), &actor);
}

/* ---- Configuration and GPRs -------------------------------------------------------------------------------------- */

static void change_config(struct tensix *x, unsigned thread, unsigned word) {
    hazard_unit_access(x->hazards, thread, HAZARD_CONFIG, HAZARD_CONFIG_BANKS,
                       hazard_config(tensix_bank(x, thread), word, 0), 32 * SHADOW_WORD, HAZARD_WRITES);
}

static void set_config(struct tensix *x, unsigned thread, unsigned word, uint32_t value) {
    hazard_unit_writes(x->hazards, thread, HAZARD_CONFIG, HAZARD_CONFIG_BANKS,
                       hazard_config(tensix_bank(x, thread), word, 0), 32 * SHADOW_WORD, value);
}

/* Sets the bits of a mask in a word of Config. */
static void set_bits(struct tensix *x, unsigned thread, unsigned word, uint32_t mask, uint32_t value) {
    for (; mask; mask &= mask - 1)
        hazard_unit_writes(x->hazards, thread, HAZARD_CONFIG, HAZARD_CONFIG_BANKS,
                           hazard_config(tensix_bank(x, thread), word, (unsigned)__builtin_ctz(mask)), SHADOW_WORD,
                           value);
}

/* The bits of Config that each unit reads. */
static const struct config_use {
    uint8_t unit, word, shift, contexts;
    uint16_t width;
    enum { STARTS, WORKS, SOMETIME } when;
} config_uses[] = {
#define CONFIG_USE(unit, word, count, when, contexts) \
    { HAZARD_##unit, CONFIG_WORD_##word, 0, contexts, 32 * (count), when },
#define CONFIG_USE_FIELD(unit, field, when) \
    { HAZARD_##unit, CONFIG_WORD_##field, CONFIG_SHIFT_##field, 0, CONFIG_WIDTH_##field, when },
#include "tensix/hazards.def"
};

static void use_config(struct tensix *x, unsigned thread, unsigned unit, unsigned context) {
    for (unsigned i = 0; i < sizeof config_uses / sizeof *config_uses; i++) {
        const struct config_use *use = &config_uses[i];
        unsigned word = use->word + (use->contexts ? context % use->contexts : 0);
        uint32_t at = hazard_config(tensix_bank(x, thread), word, use->shift), size = SHADOW_WORD * use->width;
        if (use->unit != unit)
            continue;
        if (use->when == STARTS)
            hazard_thread_access(x->hazards, thread, HAZARD_CONFIG_BANKS, at, size, HAZARD_READS);
        else
            (use->when == WORKS ? hazard_unit_access : hazard_unit_access_sometime)(
                x->hazards, thread, unit, HAZARD_CONFIG_BANKS, at, size, HAZARD_READS);
    }
}

static void use_gpr(struct tensix *x, unsigned thread, unsigned unit, unsigned index, unsigned count,
                    enum hazard_how how) {
    uint32_t at = hazard_gpr(thread, count == 4 ? index & ~3u : index);
    if (unit != NO_UNIT)
        hazard_unit_access(x->hazards, thread, unit, HAZARD_GPR, at, SHADOW_WORD * count, how);
    else
        hazard_thread_access(x->hazards, thread, HAZARD_GPR, at, SHADOW_WORD * count, how);
}

static void pass_config(struct tensix *x, unsigned thread, uint32_t word, const struct tensix_before *before) {
    hazard_unit_step(x->hazards, thread, HAZARD_CONFIG);
    switch (word >> 24) {
    case TENSIX_SETC16: {
        struct tensix_SETC16 op = tensix_decode_SETC16(word);
        hazard_thread_config(x->hazards, thread, op.setc16_reg, before->config, op.setc16_value);
        break;
    }
    case TENSIX_WRCFG: {
        struct tensix_WRCFG op = tensix_decode_WRCFG(word);
        unsigned words = op.wr128b ? 4 : 1, gpr = op.GprAddress & ~(words - 1), to = op.CfgReg & ~(words - 1);
        use_gpr(x, thread, NO_UNIT, gpr, words, HAZARD_READS); /* when it enters the unit */
        for (unsigned i = 0; i < words; i++)
            set_config(x, thread, to + i, x->gpr[thread][gpr + i]);
        break;
    }
    case TENSIX_RDCFG: {
        struct tensix_RDCFG op = tensix_decode_RDCFG(word);
        hazard_unit_access(x->hazards, thread, HAZARD_CONFIG, HAZARD_CONFIG_BANKS,
                           hazard_config(tensix_bank(x, thread), op.CfgReg, 0), 32 * SHADOW_WORD, HAZARD_READS);
        use_gpr(x, thread, HAZARD_CONFIG, op.GprAddress, 1, HAZARD_WRITES);
        break;
    }
    case TENSIX_RMWCIB0:
    case TENSIX_RMWCIB1:
    case TENSIX_RMWCIB2:
    case TENSIX_RMWCIB3: {
        struct tensix_RMWCIB0 op = tensix_decode_RMWCIB0(word);
        unsigned shift = 8 * ((word >> 24) - TENSIX_RMWCIB0);
        set_bits(x, thread, op.CfgRegAddr, (uint32_t)op.Mask << shift, (uint32_t)op.Data << shift);
        hazard_thread_passed(x->hazards, thread, HAZARD_CONFIG); /* it takes one cycle: the next instruction sees it */
        break;
    }
    case TENSIX_STREAMWRCFG: change_config(x, thread, tensix_decode_STREAMWRCFG(word).CfgReg); break;
    case TENSIX_CFGSHIFTMASK: {
        struct tensix_CFGSHIFTMASK op = tensix_decode_CFGSHIFTMASK(word);
        hazard_unit_access(x->hazards, thread, HAZARD_CONFIG, HAZARD_CONFIG_BANKS,
                           hazard_config(tensix_bank(x, thread), CONFIG_WORD_SCRATCH_SEC0_val + op.scratch_sel, 0),
                           32 * SHADOW_WORD, HAZARD_READS);
        change_config(x, thread, op.CfgReg);
        break;
    }
    default: break;
    }
}

/* ---- Scalar Unit ------------------------------------------------------------------------------------------------- */

static void write_register(struct tensix *x, unsigned thread, uint32_t address, uint32_t value) {
    const struct hazard_actor actor = hazard_thread_as(x->hazards, thread);
    uint32_t at = address - memmap[MEMMAP_ROW_OVERLAY].base;
    if (at < memmap[MEMMAP_ROW_OVERLAY].size)
        hazard_stream_written(x->hazards, at, value, &actor);
}

/* Reports the GPRs that an instruction reads when it enters the unit. */
static void read_gpr(struct tensix *x, unsigned thread, unsigned index, unsigned count) {
    use_gpr(x, thread, NO_UNIT, index, count, HAZARD_READS);
}

/* Reports reads of the address and of the offset, which may be incremented. */
static void read_address(struct tensix *x, unsigned thread, unsigned address, unsigned half, bool increments) {
    read_gpr(x, thread, address, 1);
    use_gpr(x, thread, NO_UNIT, half / 2, 1, increments ? HAZARD_CHANGES : HAZARD_READS);
}

/* A right operand that is not in the aligned group of four of the left one is read a cycle later, behind a RDCFG that
 * has just passed (scalar/alu.c). The thread waits for the result. */
static void pass_arithmetic(struct tensix *x, unsigned thread, uint32_t word) {
    struct tensix_ADDDMAREG op = tensix_decode_ADDDMAREG(word);
    read_gpr(x, thread, op.OpARegIndex, 1);
    if (!op.OpBisConst && op.OpARegIndex / 4 != op.OpBRegIndex / 4)
        hazard_thread_passed(x->hazards, thread, HAZARD_CONFIG);
    if (!op.OpBisConst)
        read_gpr(x, thread, op.OpBRegIndex, 1);
    use_gpr(x, thread, NO_UNIT, op.ResultRegIndex, 1, HAZARD_WRITES);
}

/* SETDMAREG is over for its thread when one more instruction has passed. Authors of tt-llk say that a WRCFG may come
 * too early (tt-llk #1661); no document does. */
static void pass_setting(struct tensix *x, unsigned thread, uint32_t word) {
    hazard_unit_step(x->hazards, thread, HAZARD_SETTING);
    hazard_unit_access_open_end(x->hazards, thread, HAZARD_SETTING, HAZARD_GPR,
                                hazard_gpr(thread, tensix_decode_SETDMAREG(word).RegIndex16b / 2), SHADOW_WORD,
                                HAZARD_WRITES);
}

static void pass_load(struct tensix *x, unsigned thread, uint32_t word, uint32_t address) {
    struct tensix_LOADIND op = tensix_decode_LOADIND(word);
    unsigned size = scalar_bytes[op.SizeSel];
    read_address(x, thread, op.AddrRegIndex, op.OffsetIndex, op.AutoIncSpec);
    hazard_unit_step(x->hazards, thread, HAZARD_SCALAR);
    hazard_unit_access(x->hazards, thread, HAZARD_SCALAR, HAZARD_L1, address & ~(size - 1), size, HAZARD_READS);
    use_gpr(x, thread, HAZARD_SCALAR, op.DataRegIndex, size == 16 ? 4 : 1, HAZARD_WRITES);
}

static void pass_store(struct tensix *x, unsigned thread, uint32_t word, uint32_t address) {
    struct tensix_STOREIND op = tensix_decode_STOREIND(word);
    unsigned size = op.MemHierSel ? scalar_bytes[op.SizeSel << 1 | op.RegSizeSel] : SHADOW_WORD;
    read_address(x, thread, op.AddrRegIndex, op.OffsetIndex, op.AutoIncSpec);
    read_gpr(x, thread, op.DataRegIndex, size == 16 ? 4 : 1);
    hazard_unit_step(x->hazards, thread, HAZARD_SCALAR);
    if (op.MemHierSel)
        hazard_unit_access(x->hazards, thread, HAZARD_SCALAR, HAZARD_L1, address & ~(size - 1), size, HAZARD_WRITES);
}

/* Reports the halves of words that ATSWAP writes, as its mask selects them. */
static void swap_halves(struct hazard_tile *h, unsigned thread, uint32_t address, unsigned mask) {
    for (unsigned half = 0; half < 8; half++)
        if (mask >> half & 1)
            hazard_unit_counts(h, thread, HAZARD_SCALAR, address + 2 * half, 2, HAZARD_WRITES);
}

/* ATCAS and ATINCGETPTR stay in the unit until the words have the values that they wait for. ATINCGET and ATINCGETPTR
 * bring the old value later. */
static void pass_atomic(struct tensix *x, unsigned thread, uint32_t word, uint32_t address) {
    struct hazard_tile *h = x->hazards;
    struct tensix_ATINCGETPTR op = tensix_decode_ATINCGETPTR(word);
    uint32_t selected = address + 4 * op.Sel32b;
    read_gpr(x, thread, op.AddrRegIndex, 1);
    hazard_unit_step(h, thread, HAZARD_SCALAR);
    switch (word >> 24) {
    case TENSIX_ATSWAP: swap_halves(h, thread, address, tensix_decode_ATSWAP(word).SwapMask); return;
    case TENSIX_ATCAS: hazard_thread_saw_word(h, thread, selected); break;
    case TENSIX_ATINCGETPTR:
        hazard_thread_saw_word(h, thread, address);
        hazard_thread_saw_word(h, thread, address + 4);
        break;
    default: break;
    }
    hazard_unit_counts(h, thread, HAZARD_SCALAR, selected, SHADOW_WORD, HAZARD_CHANGES);
    if (word >> 24 != TENSIX_ATCAS)
        use_gpr(x, thread, HAZARD_SCALAR, op.DataRegIndex, 1, HAZARD_CHANGES);
}

static void pass_scalar(struct tensix *x, unsigned thread, uint32_t word, uint32_t address) {
    struct hazard_tile *h = x->hazards;
    switch (word >> 24) {
    case TENSIX_SETDMAREG: pass_setting(x, thread, word); break;
    case TENSIX_ADDDMAREG:
    case TENSIX_SUBDMAREG:
    case TENSIX_MULDMAREG:
    case TENSIX_BITWOPDMAREG:
    case TENSIX_SHIFTDMAREG:
    case TENSIX_CMPDMAREG: pass_arithmetic(x, thread, word); break;
    case TENSIX_LOADIND: pass_load(x, thread, word, address); break;
    case TENSIX_STOREIND: pass_store(x, thread, word, address); break;
    case TENSIX_LOADREG:
        hazard_unit_step(h, thread, HAZARD_SCALAR);
        use_gpr(x, thread, HAZARD_SCALAR, tensix_decode_LOADREG(word).TdmaDataRegIndex, 1, HAZARD_WRITES);
        break;
    case TENSIX_STOREREG: {
        struct tensix_STOREREG op = tensix_decode_STOREREG(word);
        read_gpr(x, thread, op.TdmaDataRegIndex, 1);
        hazard_unit_step(h, thread, HAZARD_SCALAR);
        write_register(x, thread, memmap[MEMMAP_ROW_LDM_B_NC].base + 4 * op.RegAddr,
                       x->gpr[thread][op.TdmaDataRegIndex]);
        break;
    }
    case TENSIX_ATINCGET:
    case TENSIX_ATINCGETPTR:
    case TENSIX_ATSWAP:
    case TENSIX_ATCAS: pass_atomic(x, thread, word, address); break;
    case TENSIX_REG2FLOP: read_gpr(x, thread, tensix_decode_REG2FLOP(word).RegIndex, 1); break;
    case TENSIX_FLUSHDMA: {
        unsigned spec = tensix_decode_FLUSHDMA(word).FlushSpec & GATE_C_DEFAULT;
        hazard_thread_latches(h, thread);
        stalled(h, thread, spec ? spec : GATE_C_DEFAULT);
        break;
    }
    default: break;
    }
}

/* ---- Mover ------------------------------------------------------------------------------------------------------- */

static void pass_mover(struct tensix *x, unsigned thread) {
    const struct mover_task *task = &x->mover.task;
    uint32_t bytes = task->units * MOVER_UNIT;
    bool to_l1 = task->direction == MOVER_ZERO_L1 || task->direction == MOVER_L1_L1;
    hazard_unit_step(x->hazards, thread, HAZARD_MOVER);
    if (task->direction == MOVER_L1_OTHER || task->direction == MOVER_L1_L1)
        hazard_unit_access(x->hazards, thread, HAZARD_MOVER, HAZARD_L1, task->from, bytes, HAZARD_READS);
    if (to_l1)
        hazard_unit_access(x->hazards, thread, HAZARD_MOVER, HAZARD_L1, task->to, bytes, HAZARD_WRITES);
    else if (task->to / 4 < 2 * CONFIG_WORDS)
        hazard_unit_access(x->hazards, thread, HAZARD_MOVER, HAZARD_CONFIG_BANKS,
                           hazard_config(task->to / 4 / CONFIG_WORDS, task->to / 4 % CONFIG_WORDS, 0),
                           32 * SHADOW_WORD * (bytes / 4), HAZARD_WRITES);
}

/* ---- Unpackers and packer ---------------------------------------------------------------------------------------- */

static void fetch(struct tensix *x, unsigned thread, unsigned unit, const struct unpack_job *job) {
    const struct unpack_input *in = &job->in;
    uint32_t address = (uint32_t)(in->data / 8), bytes = job->units * 16;
    uint32_t piece = in->stride ? (uint32_t)in->piece * in->bits / 8 : bytes;
    for (uint32_t done = 0; done < bytes && piece; done += piece, address += in->stride)
        hazard_unit_access(x->hazards, thread, unit, HAZARD_L1, address, piece, HAZARD_READS);
}

/* Rows of Dst that an unpacker writes; output addresses begin four rows before Dst. */
static void fill_dst(struct tensix *x, unsigned thread, unsigned unit, const struct unpack_job *job) {
    enum { ROW = 16, ROWS_BEFORE = 4 };
    uint32_t data = (uint32_t)smaller(job->in.count, job->in.emit) * (1u + job->out.zeros);
    uint32_t first = job->out.address / ROW - ROWS_BEFORE, last = (job->out.address + data - 1) / ROW - ROWS_BEFORE;
    for (uint32_t row = first; data && row != last + 1; row++)
        hazard_unit_access(x->hazards, thread, unit, HAZARD_DST, SHADOW_WORD * (row % DST_ROWS), SHADOW_WORD,
                           HAZARD_WRITES);
}

static void pass_unpack(struct tensix *x, unsigned thread, uint32_t word, const struct tensix_before *before) {
    struct tensix_UNPACR op = tensix_decode_UNPACR(word);
    unsigned unpacker = word >> 23 & 1, unit = HAZARD_UNPACK0 + unpacker;
    struct unpacker *u = &x->unpack.unit[unpacker];
    hazard_unit_step(x->hazards, thread, unit);
    if (u->count)
        hazard_unpack_queued(x->hazards, thread, unpacker, (u->first + u->count - 1u) % UNPACK_JOBS);
    if (word >> 24 != TENSIX_UNPACR || op.CfgContextCntInc || op.SearchCacheFlush || !u->count)
        return;
    const struct unpack_job *job = unpack_job_at(u, u->count - 1u);
    fetch(x, thread, unit, job);
    if (job->out.dst)
        fill_dst(x, thread, unit, job);
    use_config(x, thread, unit, before->context);
}

static void pass_pack(struct tensix *x, unsigned thread, uint32_t word) {
    struct hazard_tile *h = x->hazards;
    struct pack *pack = &x->pack;
    hazard_unit_step(h, thread, HAZARD_PACK);
    if (word >> 24 != TENSIX_PACR || !pack->count)
        return;
    const struct pack_job *job = pack_job_at(pack, pack->count - 1u);
    const struct pack_input *in = &job->in;
    uint32_t data = in->source == PACK_FROM_L1 ? in->count : (uint32_t)in->rows * PACK_ROW;
    uint32_t bytes = data * job->path.open.bits / 8;
    for (unsigned i = 0; in->source == PACK_FROM_DST && i < in->rows; i++)
        hazard_unit_access(h, thread, HAZARD_PACK, HAZARD_DST, SHADOW_WORD * in->row[i], SHADOW_WORD, HAZARD_READS);
    if (in->source == PACK_FROM_L1)
        hazard_unit_access(h, thread, HAZARD_PACK, HAZARD_L1, in->address, in->count * in->bytes, HAZARD_READS);
    if (job->out.new[PACK_TO])
        h->pack_address = job->out.address[PACK_TO];
    hazard_unit_access(h, thread, HAZARD_PACK, HAZARD_L1, h->pack_address, bytes,
                       job->path.open.add ? HAZARD_CHANGES : HAZARD_WRITES);
    h->pack_address += bytes;
    use_config(x, thread, HAZARD_PACK, 0);
}

/* ---- Dst --------------------------------------------------------------------------------------------------------- */

/* Returns the row that an instruction of the Matrix Unit or the Vector Unit selects. */
static unsigned dst_row(const struct tensix *x, unsigned thread, uint32_t word, unsigned counter) {
    return matrix_named_row(word, x->config.thread[thread], x->config.bank[tensix_bank(x, thread)], counter);
}

static void use_dst(struct tensix *x, unsigned thread, unsigned unit, unsigned row, unsigned rows,
                    enum hazard_how how) {
    hazard_unit_access(x->hazards, thread, unit, HAZARD_DST, SHADOW_WORD * (row - row % rows), SHADOW_WORD * rows, how);
}

void tensix_hazards_unpacked(struct tensix *x, unsigned unpacker, const struct unpack_job *job, uint64_t now) {
    unsigned position = x->unpack.unit[unpacker].first, own = x->src.unpacker_bank[unpacker];
    bool clears = job->kind == UNPACK_CLEAR, both = clears && tensix_decode_UNPACR_NOP(job->word).Bank_Clr_Ctrl;
    for (unsigned bank = 0; bank < SRC_BANKS; bank++)
        if ((clears || (job->kind == UNPACK_MOVE && !job->out.dst)) && (both || bank == own))
            hazard_unpack_writes(x->hazards, unpacker, position, bank, now);
    if (job->flip)
        hazard_bank_handed(x->hazards, unpacker, position, own);
}

/* Reports the rows that ZEROACC marks, by its mode: one, sixteen, half of Dst or all. */
static void clear_dst(struct tensix *x, unsigned thread, uint32_t word, unsigned counter) {
    enum { ONE_ROW, FACE, HALF };
    struct tensix_ZEROACC op = tensix_decode_ZEROACC(word);
    unsigned mode = op.clear_mode & 3, row = 0, rows = DST_ROWS;
    if (mode == ONE_ROW || mode == FACE) {
        rows = mode == FACE ? 16 : 1;
        row = dst_row(x, thread, mode == FACE ? (word & 0xFF) * 16 : word, counter);
    } else if (mode == HALF) {
        rows = DST_ROWS / 2;
        row = word & 1 ? rows : 0;
    }
    use_dst(x, thread, HAZARD_MATRIX, row, rows, HAZARD_WRITES);
}

/* Reports the banks that ZEROSRC fills, whatever their owner: both of a file, the Matrix Unit's or the unpacker's. */
static void fill_src(struct tensix *x, unsigned thread, uint32_t word, const struct tensix_before *before) {
    struct tensix_ZEROSRC op = tensix_decode_ZEROSRC(word);
    for (unsigned file = 0; file < UNPACKERS; file++) {
        unsigned current = op.write_mode ? before->bank[file] : x->src.unpacker_bank[file];
        for (unsigned bank = 0; bank < SRC_BANKS; bank++)
            if ((op.src_mask >> file & 1) && (op.bank_mask || bank == current))
                hazard_matrix_uses(x->hazards, thread, file, bank, HAZARD_WRITES, false);
    }
}

/* Reports the banks of Src that an instruction of the Matrix Unit reads, writes and hands back. */
static void use_src(struct tensix *x, unsigned thread, uint32_t word, const struct tensix_before *before) {
    enum { NOTHING, A = 1, B = 2, A_B = 3 };
    enum { MOVE = 4, MATH, POOL, BANKS };
    static const struct {
        uint8_t waits, writes, after;
    } uses[256] = {
#define MATRIX_OP(name, waits, src, dst, window, after) [TENSIX_##name] = { waits, src, after },
#include "tensix/matrix/matrix.def"
    };
    unsigned opcode = word >> 24, writes = uses[opcode].writes;
    unsigned given = uses[opcode].after > MOVE ? word >> 22 & 3 : 0;
    if (opcode == TENSIX_ZEROSRC) {
        fill_src(x, thread, word, before);
        return;
    }
    if (opcode == TENSIX_CLEARDVALID)
        given = tensix_decode_CLEARDVALID(word).cleardvalid & 3u;
    for (unsigned i = 0; i < 4 && opcode == TENSIX_CLEARDVALID && (tensix_decode_CLEARDVALID(word).reset & 1); i++)
        hazard_bank_given(x->hazards, thread, i / 2, i % 2);
    for (unsigned file = 0; file < UNPACKERS; file++) {
        bool waits = uses[opcode].waits >> file & 1;
        if (waits)
            hazard_matrix_uses(x->hazards, thread, file, before->bank[file], HAZARD_READS, true);
        if (writes >> file & 1)
            hazard_matrix_uses(x->hazards, thread, file, before->bank[file], HAZARD_WRITES, waits);
        if (given >> file & 1)
            hazard_bank_given(x->hazards, thread, file, before->bank[file]);
    }
}

static void pass_matrix(struct tensix *x, unsigned thread, uint32_t word, const struct tensix_before *before) {
    enum { NOTHING, READS, WRITES, ADDS };
    static const uint8_t dst[256] = {
#define MATRIX_OP(name, waits, src, uses, window, after) [TENSIX_##name] = uses,
#include "tensix/matrix/matrix.def"
    };
    static const uint8_t how[] = { [READS] = HAZARD_READS, [WRITES] = HAZARD_WRITES, [ADDS] = HAZARD_CHANGES };
    unsigned use = dst[word >> 24];
    hazard_unit_step(x->hazards, thread, HAZARD_MATRIX);
    use_src(x, thread, word, before);
    if (word >> 24 == TENSIX_ZEROACC)
        clear_dst(x, thread, word, before->dst);
    if (use == NOTHING)
        return;
    use_config(x, thread, HAZARD_MATRIX, 0);
    use_dst(x, thread, HAZARD_MATRIX, dst_row(x, thread, word, before->dst), BLOCK, (enum hazard_how)how[use]);
}

static void use_lregs(struct tensix *x, unsigned thread, uint32_t lregs, enum hazard_how how) {
    for (; lregs; lregs &= lregs - 1)
        hazard_unit_access(x->hazards, thread, HAZARD_VECTOR, HAZARD_LREG, SHADOW_WORD * (unsigned)__builtin_ctz(lregs),
                           SHADOW_WORD, how);
}

/* Reports the use of LRegs and lane flags, which all threads share. */
static void touch_lregs(struct tensix *x, unsigned thread, uint32_t word) {
    const uint32_t flags = 1u << HAZARD_LANE_FLAGS;
    struct vector_touch touch = vector_touches(word);
    use_lregs(x, thread, touch.reads | (touch.uses_flags && !touch.sets_flags ? flags : 0), HAZARD_READS);
    use_lregs(x, thread, touch.changes | (touch.sets_flags ? flags : 0), HAZARD_CHANGES);
    use_lregs(x, thread, touch.writes, HAZARD_WRITES);
}

static void pass_vector(struct tensix *x, unsigned thread, uint32_t word, unsigned counter) {
    unsigned opcode = word >> 24;
    hazard_unit_step(x->hazards, thread, HAZARD_VECTOR);
    if (vector_is_template(&x->vector, word))
        return;
    touch_lregs(x, thread, word);
    unsigned row = dst_row(x, thread, word, counter);
    bool stores = opcode == TENSIX_SFPSTORE || (opcode == TENSIX_SFPLOADMACRO && vector_macro_stores(&x->vector, word));
    if (opcode != TENSIX_SFPLOAD && opcode != TENSIX_SFPLOADMACRO && opcode != TENSIX_SFPSTORE)
        return;
    use_config(x, thread, HAZARD_VECTOR, 0);
    if (opcode != TENSIX_SFPSTORE)
        use_dst(x, thread, HAZARD_VECTOR, row, VECTOR_ROWS, HAZARD_READS);
    if (stores) /* where a macro has loaded from */
        use_dst(x, thread, HAZARD_VECTOR, row, VECTOR_ROWS, HAZARD_WRITES);
}

/* SETDVALID hands over the unpackers' banks as they are, after what its thread knows of. */
static void hand_banks(struct tensix *x, unsigned thread, unsigned files, const struct tensix_before *before) {
    for (unsigned file = 0; file < UNPACKERS; file++)
        if (files >> file & 1)
            hazard_bank_set_valid(x->hazards, thread, file, before->unpacker_bank[file]);
}

/* ---- Passes ------------------------------------------------------------------------------------------------------ */

struct tensix_before tensix_hazards_before(const struct tensix *x, unsigned thread, uint32_t word) {
    struct tensix_before before = { .dst = x->rwc[thread].dst };
    for (unsigned i = 0; i < UNPACKERS; i++)
        before.bank[i] = x->src.matrix_bank[i], before.unpacker_bank[i] = x->src.unpacker_bank[i];
    switch (word >> 24) {
    case TENSIX_LOADIND: {
        struct tensix_LOADIND op = tensix_decode_LOADIND(word);
        before.address = scalar_l1_address(x, thread, op.AddrRegIndex, op.OffsetIndex);
        break;
    }
    case TENSIX_ATINCGET:
    case TENSIX_ATINCGETPTR:
    case TENSIX_ATSWAP:
    case TENSIX_ATCAS: before.address = x->gpr[thread][tensix_decode_ATCAS(word).AddrRegIndex] * 16; break;
    case TENSIX_SETC16:
        before.config = x->config.thread[thread][tensix_decode_SETC16(word).setc16_reg % CONFIG_THREAD_ROW];
        break;
    case TENSIX_UNPACR: before.context = (uint8_t)unpack_context(x, thread, word >> 23 & 1, word); break;
    case TENSIX_STOREIND: {
        struct tensix_STOREIND op = tensix_decode_STOREIND(word);
        before.address = scalar_l1_address(x, thread, op.AddrRegIndex, op.OffsetIndex);
        break;
    }
    default: break;
    }
    return before;
}

static void pass_sync(struct tensix *x, unsigned thread, uint32_t word) {
    struct hazard_tile *h = x->hazards;
    struct hazard_actor actor = hazard_thread_as(h, thread);
    switch (word >> 24) {
    case TENSIX_STALLWAIT:
    case TENSIX_SEMWAIT:
    case TENSIX_STREAMWAIT: latch_wait(x, thread); break;
    case TENSIX_SEMPOST: change_semaphores(h, thread, tensix_decode_SEMPOST(word).sem_sel, true); break;
    case TENSIX_SEMINIT: {
        struct tensix_SEMINIT op = tensix_decode_SEMINIT(word);
        for (unsigned left = op.sem_sel & 0xFF; left; left &= left - 1)
            hazard_semaphore_set(h, (unsigned)__builtin_ctz(left), op.init_value, &actor);
        break;
    }
    case TENSIX_ATGETM: hazard_mutex_taken(h, thread, tensix_decode_ATGETM(word).mutex_index); break;
    case TENSIX_ATRELM: hazard_mutex_released(h, thread, tensix_decode_ATRELM(word).mutex_index); break;
    case TENSIX_SEMGET: change_semaphores(h, thread, tensix_decode_SEMGET(word).sem_sel, false); break;
    default: break;
    }
}

void tensix_hazards_passed(struct tensix *x, unsigned thread, uint32_t word, uint32_t pc, bool ends,
                           const struct tensix_before *before, uint64_t now) {
    const struct tensix_row *row = tensix_decode(word);
    struct hazard_thread *h = &x->hazards->thread[thread];
    bool after_config = h->after_config, after_setting = h->after_setting;
    if (!row)
        return;
    hazard_thread_step(x->hazards, thread, pc, word, now, ends);
    end_wait(x, thread, word, before);
    h->after_config = row->unit == TENSIX_UNIT_CONFIG;
    h->after_setting = word >> 24 == TENSIX_SETDMAREG;
    if (after_config && h->after_config)
        hazard_thread_passed(x->hazards, thread, HAZARD_CONFIG);
    if (after_setting && row->unit == TENSIX_UNIT_SCALAR)
        hazard_thread_passed(x->hazards, thread, HAZARD_SETTING);
    switch ((int)row->unit) {
    case TENSIX_UNIT_SYNC: pass_sync(x, thread, word); break;
    case TENSIX_UNIT_CONFIG: pass_config(x, thread, word, before); break;
    case TENSIX_UNIT_SCALAR: pass_scalar(x, thread, word, before->address); break;
    case TENSIX_UNIT_MOVER: pass_mover(x, thread); break;
    case TENSIX_UNIT_UNPACKER: pass_unpack(x, thread, word, before); break;
    case TENSIX_UNIT_PACKER: pass_pack(x, thread, word); break;
    case TENSIX_UNIT_MATRIX: pass_matrix(x, thread, word, before); break;
    case TENSIX_UNIT_VECTOR:
    case TENSIX_UNIT_VECTOR_LOAD:
    case TENSIX_UNIT_VECTOR_STORE:
    case TENSIX_UNIT_VECTOR_SIMPLE:
    case TENSIX_UNIT_VECTOR_MAD:
    case TENSIX_UNIT_VECTOR_ROUND: pass_vector(x, thread, word, before->dst); break;
    case TENSIX_UNIT_MISC:
        if (word >> 24 == TENSIX_SETDVALID)
            hand_banks(x, thread, tensix_decode_SETDVALID(word).setvalid, before);
        break;
    default: break;
    }
    if (after_config && !h->after_config)
        hazard_thread_passed(x->hazards, thread, HAZARD_CONFIG);
    if (after_setting && !h->after_setting)
        hazard_thread_passed(x->hazards, thread, HAZARD_SETTING);
}
