/* Performance counters: what they count, and when. Which conditions they stand for is assumed where tt-metal's report
 * leaves it open: WAITING_FOR_..._IDLE count cycles in which the unit is busy, whether or not a thread waits for it, as
 * the report says of "Stall Breakdown"; those of semaphores and of Src need a wait. */
#include "tensix/count.h"

#include <string.h>

#include "base/order.h"
#include "tensix/turn.h"

/* ---- Kinds of instructions ---------------------------------------------------------------------- */

/* Kinds of instructions, in the order of the counters *_INSTRN_AVAILABLE. No instruction is a KIND_XSEARCH. */
enum count_kind {
    KIND_CFG,
    KIND_SYNC,
    KIND_THCON,
    KIND_XSEARCH,
    KIND_MOVE,
    KIND_MATH,
    KIND_UNPACK,
    KIND_PACK,
    KIND_OTHER
};
_Static_assert(PERF_PACK_INSTRN_AVAILABLE_0 == PERF_CFG_INSTRN_AVAILABLE_0 + 3 * KIND_PACK, "three counters a kind");

static const uint8_t kind_of_unit[TENSIX_UNIT_COUNT] = {
    [TENSIX_UNIT_FRONTEND] = KIND_OTHER,    [TENSIX_UNIT_GATE] = KIND_OTHER,
    [TENSIX_UNIT_MATRIX] = KIND_MATH,       [TENSIX_UNIT_MOVER] = KIND_MOVE,
    [TENSIX_UNIT_PACKER] = KIND_PACK,       [TENSIX_UNIT_UNPACKER] = KIND_UNPACK,
    [TENSIX_UNIT_MISC] = KIND_OTHER,        [TENSIX_UNIT_SCALAR] = KIND_THCON,
    [TENSIX_UNIT_VECTOR] = KIND_MATH,       [TENSIX_UNIT_VECTOR_LOAD] = KIND_MATH,
    [TENSIX_UNIT_VECTOR_STORE] = KIND_MATH, [TENSIX_UNIT_VECTOR_SIMPLE] = KIND_MATH,
    [TENSIX_UNIT_VECTOR_MAD] = KIND_MATH,   [TENSIX_UNIT_VECTOR_ROUND] = KIND_MATH,
    [TENSIX_UNIT_SYNC] = KIND_SYNC,         [TENSIX_UNIT_CONFIG] = KIND_CFG,
};

static unsigned kind_of(uint32_t word) {
    const struct tensix_row *row = tensix_decode(word);
    return row ? kind_of_unit[row->unit] : KIND_OTHER;
}

/* Returns whether the instruction of the Scalar Unit reads or writes L1. */
static bool requests_l1(uint32_t word) {
    switch (word >> 24) {
    case TENSIX_LOADIND:
    case TENSIX_ATINCGET:
    case TENSIX_ATINCGETPTR:
    case TENSIX_ATSWAP:
    case TENSIX_ATCAS: return true;
    case TENSIX_STOREIND: return tensix_decode_STOREIND(word).MemHierSel;
    default: return false;
    }
}

/* ---- Spans of cycles ------------------------------------------------------------------------------ */

/* The cycles [from, until) that are being counted. */
struct span {
    uint64_t from, until;
};

/* Returns how many of them are in [begin, end). */
static uint64_t within(struct span span, uint64_t begin, uint64_t end) {
    begin = later(begin, span.from);
    end = smaller(end, span.until);
    return end > begin ? end - begin : 0;
}

static void add(struct tensix *x, unsigned id, uint64_t cycles) {
    x->count.value[id] += (uint32_t)cycles;
}

/* Returns whether the bank counts the cycles that are being counted. */
static bool counts(const struct tensix *x, enum perf_bank bank) {
    return (x->counting >> bank & 1) && x->count.bank[bank].since <= x->count.threads;
}

/* ---- Units ------------------------------------------------------------------------------------------ */

/* Conditions of STALLWAIT, in the order of the counters WAITING_FOR_..._IDLE; 0: those of SEMWAIT. */
static const uint16_t wait_condition[] = {
    GATE_C_MEMORY, GATE_C_UNPACK0 | GATE_C_UNPACK1, GATE_C_PACK, GATE_C_MATRIX, 0, 0, GATE_C_MOVER, GATE_C_RISCV,
    GATE_C_VECTOR,
};
enum { WAITS = sizeof wait_condition / sizeof *wait_condition };
_Static_assert(PERF_WAITING_FOR_SFPU_IDLE_2 == PERF_WAITING_FOR_THCON_IDLE_0 + 3 * WAITS - 1, "nine counters a thread");

/* Returns whether the thread has latched a SEMWAIT that a semaphore keeps waiting by this condition. */
static bool semaphores_wait(const struct tensix *x, unsigned thread, unsigned condition, uint64_t now) {
    struct gate wait = x->thread[thread].gate;
    wait.condition &= (uint16_t)condition;
    return wait.opcode == TENSIX_SEMWAIT && wait.free_at > now && gate_semaphores_wait(&x->sync, &wait);
}

static void count_waits(struct tensix *x, unsigned thread, struct span span) {
    unsigned first = PERF_WAITING_FOR_THCON_IDLE_0 + WAITS * thread;
    uint64_t all = span.until - span.from;
    for (unsigned i = 0; i < WAITS; i++)
        if (wait_condition[i])
            add(x, first + i, within(span, 0, gate_condition(x, thread, wait_condition[i], span.from)));
    unsigned zero = first + PERF_WAITING_FOR_NONZERO_SEM_0 - PERF_WAITING_FOR_THCON_IDLE_0;
    add(x, zero, semaphores_wait(x, thread, GATE_SEM_ZERO, span.from) ? all : 0);
    add(x, zero + 1, semaphores_wait(x, thread, GATE_SEM_MAX, span.from) ? all : 0);
}

static bool writes_src(const struct unpack_job *job) {
    return (job->kind == UNPACK_MOVE && !job->out.dst) || job->kind == UNPACK_CLEAR;
}

/* Counters of both unpackers are in the order 0, 1 of T0, then of T1; those of writes to SrcB precede SrcA's. */
static void count_unpacker(struct tensix *x, unsigned unpacker, struct span span) {
    const struct unpacker *u = &x->unpack.unit[unpacker];
    const struct unpack_job *job = &u->job[u->first];
    if (u->phase == UNPACK_EMPTY)
        return;
    uint64_t all = span.until - span.from;
    uint64_t runs = u->phase == UNPACK_RUNS ? within(span, u->since, TENSIX_NEVER) : 0;
    uint64_t tries = u->phase == UNPACK_NO_BANK ? all : runs;
    if (job->thread < 2)
        add(x, PERF_UNPACK0_BUSY_THREAD0 + 2u * job->thread + unpacker, all);
    if (!writes_src(job))
        return;
    add(x, unpacker ? PERF_SRCB_WRITE_AVAILABLE : PERF_SRCA_WRITE_AVAILABLE, tries);
    add(x, unpacker ? PERF_SRCB_WRITE_NOT_BLOCKED_PORT : PERF_SRCA_WRITE_ACTUAL, tries);
    add(x, unpacker ? PERF_SRCB_WRITE_ACTUAL : PERF_SRCA_WRITE_NOT_BLOCKED_OVR, runs);
    add(x, PERF_SRCA_WRITE_TID_EVEN + 2u * (job->thread & 1) + unpacker, runs);
}

static void count_packer(struct tensix *x, struct span span) {
    struct pack *pack = &x->pack;
    const struct pack_job *job = pack_job_at(pack, 0);
    add(x, PERF_PACKER_BUSY, within(span, 0, pack->free_at));
    if (!pack->count || job->task != PACK_MOVE || job->in.source != PACK_FROM_DST)
        return;
    uint64_t reads = within(span, job->end - job->cycles, job->end);
    add(x, PERF_PACKER_DEST_READ_AVAILABLE, reads);
    add(x, PERF_DEST_READ_GRANTED_0, reads);
}

/* Counts requests at a port of L1, which are granted at once. */
static void add_port(struct tensix *x, enum perf_id port, uint64_t requests) {
    add(x, port, requests);
    add(x, port + 1u, requests);
}

/* Counts requests at all ports from `first` to `last`. */
static void add_ports(struct tensix *x, enum perf_id first, enum perf_id last, uint64_t requests) {
    for (enum perf_id port = first; port <= last; port += 2)
        add_port(x, port, requests);
}

/* Returns the number of cycles in which the unpacker reads L1. */
static uint64_t unpacker_reads(const struct unpacker *u, struct span span) {
    bool moves = u->phase == UNPACK_RUNS && u->job[u->first].kind == UNPACK_MOVE;
    return moves ? within(span, u->since, TENSIX_NEVER) : 0;
}

static void count_ports(struct tensix *x, struct span span) {
    const struct mover *mover = &x->mover;
    const struct pack_job *job = pack_job_at(&x->pack, 0);
    bool packs = x->pack.count && job->task == PACK_MOVE;
    uint64_t reads0 = unpacker_reads(&x->unpack.unit[0], span), reads1 = unpacker_reads(&x->unpack.unit[1], span);
    uint64_t writes = packs ? within(span, job->end - job->cycles, job->end) : 0;
    uint64_t moves = within(span, 0, mover->busy_until);
    add_port(x, PERF_L1_0_UNPACKER_0, reads0);
    add_ports(x, PERF_L1_4_UNPACKER0_EXT_IF_1, PERF_L1_5_UNPACKER0_EXT_IF_7, reads0);
    add_port(x, PERF_L1_0_UNPACKER_1_ECC, reads1);
    add_ports(x, PERF_L1_1_UNPACKER1_EXT_IF_1, PERF_L1_1_UNPACKER1_EXT_IF_3, reads1);
    add_ports(x, PERF_L1_2_UNPACKER1_EXT_IF_4, PERF_L1_2_UNPACKER1_EXT_IF_7, reads1);
    add_port(x, PERF_L1_1_PACKER_IF_0, writes);
    add_ports(x, PERF_L1_3_EXT_PACKER_2, PERF_L1_4_PACKER_IF_1_TAG_SEARCH, writes);
    if (mover->task.direction == MOVER_L1_OTHER || mover->task.direction == MOVER_L1_L1)
        add_port(x, PERF_L1_0_TDMA_BUNDLE_0_RISC, moves);
    if (mover->task.direction == MOVER_ZERO_L1 || mover->task.direction == MOVER_L1_L1)
        add_port(x, PERF_L1_0_TDMA_BUNDLE_1_TRISC, moves);
}

static void count_units(struct tensix *x, uint64_t until) {
    struct span span = { x->count.units, until };
    if (span.from >= span.until)
        return;
    x->count.units = until;
    if (counts(x, PERF_BANK_INSTRN_THREAD))
        for (unsigned i = 0; i < TENSIX_THREADS; i++)
            count_waits(x, i, span);
    if (counts(x, PERF_BANK_TDMA_UNPACK))
        for (unsigned i = 0; i < UNPACKERS; i++)
            count_unpacker(x, i, span);
    if (counts(x, PERF_BANK_TDMA_PACK))
        count_packer(x, span);
    if (counts(x, PERF_BANK_L1))
        count_ports(x, span);
}

/* ---- Threads ------------------------------------------------------------------------------------------ */

/* The word at a thread's gate, and the cycle since which it is there. */
struct at_gate {
    bool there;
    uint32_t word;
    uint64_t since;
};

static struct at_gate at_gate(struct frontend *f, uint64_t until) {
    unsigned at = frontend_place(f);
    if (f->lane) {
        uint64_t since = later(frontend_lane_ready(frontend_lane_mop(f, at)), f->after_pass);
        return (struct at_gate){ f->in_flight, f->first.word[at], since };
    }
    const struct frontend_word *head = frontend_head(f, until);
    if (!head)
        return (struct at_gate){ .there = false };
    return (struct at_gate){ true, head->word, later(frontend_ready(f), f->after_pass) };
}

/* What holds an instruction of the Matrix or Vector Unit. */
enum math_hold {
    HELD_BEFORE,  /* it has not reached its unit: the gate, or nothing because it has not tried */
    HELD_BY_BANK, /* by a bank of Src */
    HELD_BY_MOVE, /* by a move to SrcA or SrcB */
    HELD_BY_ROWS, /* by rows of Dst, or by a result of the Vector Unit */
    HELD_BY_UNIT, /* it takes one instruction a cycle, or is held in reset */
};

static enum math_hold math_hold(enum wait why) {
    switch (why) {
    case WAIT_SRCA_BANK:
    case WAIT_SRCB_BANK: return HELD_BY_BANK;
    case WAIT_MATRIX_MOVES_TO_A:
    case WAIT_MATRIX_MOVES_TO_B: return HELD_BY_MOVE;
    case WAIT_MATRIX_MOVED_ROWS:
    case WAIT_DST_ROWS:
    case WAIT_VECTOR_RESULT: return HELD_BY_ROWS;
    case WAIT_MATRIX_RESET:
    case WAIT_MATRIX_ENTRY:
    case WAIT_VECTOR_RESET:
    case WAIT_VECTOR_ENTRY:
    case WAIT_VECTOR_SECOND_CYCLE: return HELD_BY_UNIT;
    default: return HELD_BEFORE;
    }
}

/* Cycles of the span, each the last ones of it: in which a word is held, of any thread, by what. */
struct holds {
    uint64_t any;
    uint64_t src[4]; /* SRCA_CLEAR, SRCB_CLEAR, SRCA_VALID, SRCB_VALID */
    uint64_t math[HELD_BY_UNIT + 1];
};

static void note(uint64_t *cycles, uint64_t held) {
    *cycles = later(*cycles, held);
}

/* Records that the word at the gate has not passed in these cycles. */
static void note_held(struct tensix *x, unsigned thread, unsigned kind, uint64_t cycles, struct holds *holds) {
    enum wait why = (enum wait)x->thread[thread].waits_on;
    note(&holds->any, cycles);
    add(x, PERF_THREAD_STALLS_0 + thread, counts(x, PERF_BANK_INSTRN_THREAD) ? cycles : 0);
    switch (why) {
    case WAIT_STOREIND_SRCA: note(&holds->src[0], cycles); break;
    case WAIT_STOREIND_SRCB: note(&holds->src[1], cycles); break;
    case WAIT_SRCA_BANK: note(&holds->src[2], cycles); break;
    case WAIT_SRCB_BANK: note(&holds->src[3], cycles); break;
    default: break;
    }
    if (kind == KIND_MATH)
        note(&holds->math[math_hold(why)], cycles);
}

static void add_kind(struct tensix *x, unsigned thread, unsigned kind, uint64_t cycles) {
    if (kind != KIND_OTHER && counts(x, PERF_BANK_INSTRN_THREAD))
        add(x, PERF_CFG_INSTRN_AVAILABLE_0 + 3 * kind + thread, cycles);
}

static void count_thread(struct tensix *x, unsigned thread, struct span span, struct holds *holds) {
    struct tensix_thread *t = &x->thread[thread];
    if (x->count.passed >> thread & 1) {
        add(x, PERF_THREAD_INSTRUCTIONS_0 + thread, counts(x, PERF_BANK_INSTRN_THREAD));
        add_kind(x, thread, x->count.passed_kind[thread], 1);
    }
    if (t->faulted)
        return;
    struct at_gate head = at_gate(&t->frontend, span.until);
    uint64_t cycles = head.there ? within(span, head.since, TENSIX_NEVER) : 0;
    if (!cycles)
        return;
    unsigned kind = kind_of(head.word);
    add_kind(x, thread, kind, cycles);
    note_held(x, thread, kind, cycles, holds);
}

/* Adds the cycles in which an instruction of the Matrix or Vector Unit passes (the first of the span) or is held by one
 * of these. */
static void add_math(struct tensix *x, enum perf_id id, struct span span, const struct holds *holds, unsigned by) {
    uint64_t cycles = 0;
    bool passed = false;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        passed |= (x->count.passed >> i & 1) && x->count.passed_kind[i] == KIND_MATH;
    for (unsigned i = HELD_BY_BANK; i <= HELD_BY_UNIT; i++)
        if (by >> i & 1)
            note(&cycles, holds->math[i]);
    add(x, id, cycles + (passed && cycles < span.until - span.from));
}

static void add_holds(struct tensix *x, struct span span, const struct holds *holds) {
    enum { ALL = 1 << HELD_BY_BANK | 1 << HELD_BY_MOVE | 1 << HELD_BY_ROWS | 1 << HELD_BY_UNIT };
    if (counts(x, PERF_BANK_INSTRN_THREAD)) {
        add(x, PERF_ANY_THREAD_STALL, holds->any);
        for (unsigned i = 0; i < 4; i++)
            add(x, PERF_WAITING_FOR_SRCA_CLEAR + i, holds->src[i]);
    }
    if (counts(x, PERF_BANK_TDMA_UNPACK)) {
        add_math(x, PERF_MATH_INSTRN_STARTED, span, holds, 0);
        add_math(x, PERF_MATH_INSTRN_AVAILABLE, span, holds, ALL);
        add_math(x, PERF_MATH_SRC_DATA_READY, span, holds, ALL & ~(1 << HELD_BY_BANK));
        add_math(x, PERF_DATA_HAZARD_STALLS_MOVD2A, span, holds, ALL & ~(1 << HELD_BY_MOVE));
    }
    if (counts(x, PERF_BANK_TDMA_PACK)) {
        add_math(x, PERF_MATH_NOT_STALLED_DEST_WR_PORT, span, holds, ALL);
        add_math(x, PERF_AVAILABLE_MATH, span, holds, ALL & ~(1 << HELD_BY_ROWS));
    }
    if (counts(x, PERF_BANK_FPU)) {
        uint64_t matrix = within(span, 0, x->count.matrix_until), vector = within(span, 0, x->count.vector_until);
        add(x, PERF_FPU_COUNTER, matrix);
        add(x, PERF_SFPU_COUNTER, vector);
        add(x, PERF_MATH_COUNTER, later(matrix, vector));
    }
}

/* Returns a mask of the banks of Src that latched STALLWAITs wait for in cycle `now`, as it begins. */
static uint8_t latched_src(const struct tensix *x, uint64_t now) {
    enum { SRC = GATE_C_SRCA_FREE | GATE_C_SRCB_FREE | GATE_C_SRCA_VALID | GATE_C_SRCB_VALID };
    unsigned waits = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct gate *gate = &x->thread[thread].gate;
        if (gate->opcode != TENSIX_STALLWAIT || gate->free_at <= now)
            continue;
        for (unsigned left = gate->condition & SRC; left; left &= left - 1)
            if (gate_condition(x, thread, left & -left, now) > now)
                waits |= left & -left;
    }
    return (uint8_t)(waits / GATE_C_SRCA_FREE);
}

static void count_threads(struct tensix *x, uint64_t until, uint8_t latched) {
    struct span span = { x->count.threads, until };
    struct holds holds = { .any = 0 };
    for (unsigned i = 0; i < 4; i++)
        holds.src[i] = latched >> i & 1 ? until - span.from : 0;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        count_thread(x, i, span, &holds);
    add_holds(x, span, &holds);
    x->count.threads = until;
    x->count.passed = 0;
}

/* ---- Time --------------------------------------------------------------------------------------------- */

/* Returns the cycle in which a running bank stops. */
static uint64_t end_of(const struct count_bank *bank) {
    return bank->mode == COUNT_PERIOD ? smaller(bank->until, bank->since + bank->period) : bank->until;
}

static void end_banks(struct tensix *x, uint64_t now) {
    for (unsigned i = 0; i < PERF_BANKS; i++) {
        struct count_bank *bank = &x->count.bank[i];
        if (!(x->counting >> i & 1) || end_of(bank) > now)
            continue;
        bank->until = end_of(bank);
        x->counting &= (uint8_t) ~(1u << i);
    }
}

/* Returns the first cycle from which on other conditions may hold than in the first one to be counted. */
static uint64_t next_change(const struct tensix *x) {
    uint64_t from = x->count.threads, next = x->count.units > from ? from + 1 : TENSIX_NEVER;
    next = smaller(next, smaller(x->next_landing, x->look_at));
    for (unsigned file = 0; file < SRC_FILES; file++) {
        uint64_t free = x->src.free_from[file][x->src.unpacker_bank[file]];
        next = free > from ? smaller(next, free) : next;
    }
    for (unsigned i = 0; i < PERF_BANKS; i++) {
        const struct count_bank *bank = &x->count.bank[i];
        if (x->counting >> i & 1)
            next = smaller(next, bank->since > from ? bank->since : end_of(bank));
    }
    return next;
}

void count_to(struct tensix *x, uint64_t until) {
    while (x->count.threads < until && x->counting) {
        uint64_t now = x->count.threads;
        if (smaller(x->next_landing, x->look_at) <= now)
            turn_settle(x, now);
        uint64_t next = smaller(until, next_change(x));
        uint8_t latched = x->count.units > now ? x->count.latched : latched_src(x, now);
        BH_ASSERT(next > now);
        count_units(x, next);
        count_threads(x, next, latched);
        end_banks(x, next);
    }
}

/* Counts every cycle before this one, and units in this cycle too. Call it before a change that shows from the next
 * cycle on. */
static void count_cycle(struct tensix *x, uint64_t now) {
    count_to(x, now);
    if (smaller(x->next_landing, x->look_at) <= now)
        turn_settle(x, now);
    if (!x->counting || x->count.units > now)
        return;
    x->count.latched = latched_src(x, now);
    count_units(x, now + 1);
}

/* The packer executes a job in the last of its cycles, an unpacker in the cycle after the last. */
void count_step(struct tensix *x, uint64_t now) {
    if (x->pack.due == now && x->unpack.due != now)
        count_cycle(x, now);
    else
        count_to(x, now);
}

/* Records that the word has passed in cycle `now`. */
static void note_pass(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct count *count = &x->count;
    const struct tensix_row *row = tensix_decode(word);
    count->passed |= (uint8_t)(1u << thread);
    count->passed_kind[thread] = (uint8_t)kind_of(word);
    if (counts(x, PERF_BANK_L1) && requests_l1(word))
        add_port(x, PERF_L1_0_TDMA_BUNDLE_0_RISC, 1);
    if (!row || count->passed_kind[thread] != KIND_MATH)
        return;
    if (row->unit == TENSIX_UNIT_MATRIX)
        count->matrix_until = now + row->occupancy;
    else
        count->vector_until = x->vector.free_at;
}

void count_turn(struct tensix *x, unsigned thread, uint64_t now) {
    struct tensix_thread *t = &x->thread[thread];
    count_cycle(x, now);
    if (t->due != now || clock_others_due(x) <= now) /* because of a result that has landed */
        return;
    struct at_gate head = at_gate(&t->frontend, now + 1);
    clock_other_event(x, now + 1);
    if (tensix_is_watched(x))
        turn_take_watched(x, t, thread, now);
    else
        turn_take(x, t, thread, now);
    if (head.there && frontend_passed_at(&t->frontend) == now && x->counting)
        note_pass(x, thread, head.word, now);
}

/* ---- Loose timing ---------------------------------------------------------------------------------------- */

static const uint8_t math_counters[] = {
    PERF_MATH_SRC_DATA_READY,   PERF_DATA_HAZARD_STALLS_MOVD2A,     PERF_MATH_INSTRN_STARTED,
    PERF_MATH_INSTRN_AVAILABLE, PERF_MATH_NOT_STALLED_DEST_WR_PORT, PERF_AVAILABLE_MATH,
    PERF_MATH_COUNTER,
};

void count_loose(struct tensix *x, unsigned thread, uint32_t word) {
    const struct tensix_row *row = tensix_decode(word);
    unsigned kind = kind_of(word);
    end_banks(x, x->core_clock);
    add(x, PERF_THREAD_INSTRUCTIONS_0 + thread, counts(x, PERF_BANK_INSTRN_THREAD));
    add_kind(x, thread, kind, 1);
    if (kind != KIND_MATH)
        return;
    unsigned unit = row->unit == TENSIX_UNIT_MATRIX ? PERF_FPU_COUNTER : PERF_SFPU_COUNTER;
    add(x, unit, counts(x, PERF_BANK_FPU));
    for (unsigned i = 0; i < sizeof math_counters; i++)
        add(x, math_counters[i], counts(x, (enum perf_bank)perf_rows[math_counters[i]].bank));
}

/* ---- Registers ------------------------------------------------------------------------------------------ */

/* Starts the first bank, whose first cycle is the one after this. */
static void begin(struct tensix *x, uint64_t time) {
    x->count.units = x->count.threads = time + 1;
    x->count.matrix_until = x->count.vector_until = 0;
    x->count.passed = 0;
}

/* Returns the first cycle that is not counted yet, after a write at this time. */
static uint64_t reached(const struct tensix *x, uint64_t time) {
    return x->loose ? time + 1 : x->count.threads;
}

void count_start(struct tensix *x, enum perf_bank bank, uint64_t time) {
    if (!x->counting)
        begin(x, time);
    for (unsigned i = 0; i < PERF_COUNT; i++)
        if (perf_rows[i].bank == bank)
            x->count.value[i] = 0;
    x->count.bank[bank].since = time + 1;
    x->count.bank[bank].until = TENSIX_NEVER;
    x->counting |= (uint8_t)(1u << bank);
    clock_other_event(x, time + 1); /* the turn in progress may be longer than one attempt */
}

void count_stop(struct tensix *x, enum perf_bank bank, uint64_t time) {
    struct count_bank *b = &x->count.bank[bank];
    if (!(x->counting >> bank & 1))
        return;
    b->until = smaller(b->until, time + 1);
    end_banks(x, reached(x, time));
}

void count_configure(struct tensix *x, enum perf_bank bank, uint32_t period, unsigned mode, uint64_t time) {
    struct count_bank *b = &x->count.bank[bank];
    end_banks(x, reached(x, time));
    b->period = period;
    b->mode = (uint8_t)mode;
    if ((x->counting >> bank & 1) && end_of(b) <= time)
        b->until = time + 1;
    end_banks(x, reached(x, time));
}

uint32_t count_reference(const struct tensix *x, enum perf_bank bank, uint64_t time) {
    const struct count_bank *b = &x->count.bank[bank];
    uint64_t until = x->counting >> bank & 1 ? smaller(time, end_of(b)) : b->until;
    return b->mode == COUNT_WITHOUT_REFERENCE || until < b->since ? 0 : (uint32_t)(until - b->since);
}

struct access count_read(const struct tensix *x, enum perf_bank bank, uint32_t mode, uint32_t mux_ctrl,
                         uint32_t *value) {
    enum perf_id id = perf_find(bank, mode, mux_ctrl);
    *value = 0;
    if (id == PERF_COUNT && bank == PERF_BANK_L1 && perf_is_port(mode))
        return access_done();
    if (id == PERF_COUNT)
        return access_refused(BH_FAULT_UNDEFINED,
                              "no document names the performance counter that the bank's mode register selects");
    *value = x->count.value[id];
    return access_done();
}

void count_requests(struct tensix *x, enum perf_id port, uint32_t requests, uint64_t time) {
    const struct count_bank *bank = &x->count.bank[PERF_BANK_L1];
    if (count_has_l1(x->counting) && !x->loose && bank->since <= time && time < end_of(bank))
        add_port(x, port, requests);
}
