/* PACR at the gate, and the number of its cycles (TENSIX_PART_PACR_UNITS and the parts next to it).
 *
 * Contexts (CfgContext, and values of CtxtCtrl other than 2) are refused: assembly.yaml says when the packer counts
 * them, and no document which configuration a context has. CtxtCtrl = 2 resets contexts and has no other effect, so
 * that it does nothing here. Sources: PACR.md, Dst.md (BH), Packers/README.md, L1.md (WH), assembly.yaml of tt-llk. */
#include <string.h>

#include "base/order.h"
#include "tensix/clock.h"

enum { CONTEXT_GIVEN, CONTEXT_COUNTED, CONTEXT_RESET };

/* ---- Before -------------------------------------------------------------------------------------------------- */

static inline bool takes(const struct tensix *x, uint64_t now) {
    return !(x->held & (REG_HOLD_PACKER | REG_HOLD_GLUE)) && now >= x->pack.gate_at && x->pack.count < PACK_JOBS;
}

uint64_t pack_enter(struct tensix *x, unsigned thread, uint64_t now) {
    const struct pack *pack = &x->pack;
    if (x->held & (REG_HOLD_PACKER | REG_HOLD_GLUE))
        return tensix_hold(x, thread, TENSIX_NEVER, WAIT_PACK_RESET);
    if (now < pack->gate_at)
        return tensix_hold(x, thread, pack->gate_at, WAIT_PACK_ENTRY);
    if (pack->count == PACK_JOBS)
        return tensix_hold(x, thread, pack->due, WAIT_PACK_FULL);
    return 0;
}

/* Returns the first cycle in which all rows of the input can be read; a past cycle, or 0, if they can already. */
__attribute__((noinline)) static uint64_t rows_ready(const struct matrix *m, const struct pack_input *in,
                                                     uint64_t now) {
    uint64_t at = 0;
    for (unsigned i = 0; in->source == PACK_FROM_DST && i < in->rows; i++) {
        uint64_t one = matrix_dst_ready(m, in->row[i], now);
        at = one > at ? one : at;
    }
    return at;
}

/* ---- Queue ------------------------------------------------------------------------------------------------------ */

/* Returns the number of data to write, including padding. */
static inline uint64_t data_of(const struct pack_job *job) {
    bool whole = job->in.take == UINT16_MAX || job->out.pad == PACK_PAD_ROWS;
    return (uint64_t)job->in.rows * (whole ? PACK_ROW : (unsigned)__builtin_popcount(job->in.take));
}

enum { LEAST_CYCLES = TENSIX_LATENCY_PACR - TENSIX_OCCUPANCY_PACR };

unsigned pack_cycles(const struct pack_job *job) {
    enum { READ = TENSIX_PART_PACR_READ * PACK_UNIT };
    uint64_t units = (data_of(job) * job->path.open.bits + 8 * PACK_UNIT - 1) / (8 * PACK_UNIT), reading = LEAST_CYCLES;
    uint64_t cycles = (units + TENSIX_PART_PACR_UNITS - 1) / TENSIX_PART_PACR_UNITS;
    if (job->path.open.add)
        cycles *= TENSIX_PART_PACR_ADD;
    if (job->in.source == PACK_FROM_L1)
        reading = (job->in.count * job->in.bytes + READ - 1) / READ;
    return (unsigned)(cycles > reading ? cycles : reading);
}

/* Queues a job. cycles: the time in the packer; occupancy: the time at the gate. */
static inline void queue(struct tensix *x, struct pack_job *job, unsigned cycles, unsigned occupancy, uint64_t now) {
    struct pack *pack = &x->pack;
    uint64_t end = later(pack->free_at, now + occupancy) + cycles + tensix_delay(x, BH_DELAY_PACK, 0, job->thread, now);
    BH_ASSERT(pack->count < PACK_JOBS && job == pack_job_at(pack, pack->count));
    BH_ASSERT(end > now && now >= pack->gate_at);
    job->end = pack->free_at = end;
    pack->gate_at = now + occupancy;
    tensix_busy_until(x, job->thread, TENSIX_BUSY_PACK, end);
    if (++pack->count > 1)
        return;
    pack->due = end - 1;
    tensix_data_due(x);
}

void pack_queue_register(struct tensix *x, struct pack_job *job, uint64_t now) {
    queue(x, job, TENSIX_LATENCY_PACR_SETREG - TENSIX_OCCUPANCY_PACR_SETREG, TENSIX_OCCUPANCY_PACR_SETREG, now);
}

/* ---- After ----------------------------------------------------------------------------------------------------- */

/* Advances the position and the output address for the next instruction. */
static inline void advance(struct pack *pack, const struct pack_job *job, unsigned plane) {
    if (job->in.source == PACK_FROM_DST)
        pack_move_position(pack, job->in.rows, plane);
    if (job->out.last || job->out.flush)
        memset(pack->placed, 0, sizeof pack->placed);
    else
        for (unsigned i = 0; i < PACK_SECTIONS; i++)
            pack->placed[i] |= job->out.new[i];
}

/* fields: those of ADDR_MOD_PACK for a Y counter: increment 3:0, CR 4, clear 5. */
static void count_y(struct adc_channel *channel, unsigned fields) {
    if (fields >> 5 & 1)
        adc_set(channel, ADC_Y, 0);
    else if (fields >> 4 & 1)
        adc_increment_cr(channel, ADC_Y, fields & 15);
    else
        adc_increment(channel, ADC_Y, fields & 15);
}

/* fields: those of ADDR_MOD_PACK for a Z counter: increment 0, clear 1. */
static void count_z(struct adc_channel *channel, unsigned fields) {
    if (fields >> 1 & 1)
        adc_set(channel, ADC_Z, 0);
    else
        adc_increment(channel, ADC_Z, fields & 1);
}

/* Advances the counters. The fast path is for the common case that only Y changes. */
static inline void count(struct adc *adc, unsigned mode) {
    if (BH_LIKELY(!(mode & ~(15u << CONFIG_SHIFT_ADDR_MOD_PACK_SEC0_YsrcIncr |
                             15u << CONFIG_SHIFT_ADDR_MOD_PACK_SEC0_YdstIncr)))) {
        adc_increment(&adc->channel[0], ADC_Y, mode & 15);
        adc_increment(&adc->channel[1], ADC_Y, mode >> CONFIG_SHIFT_ADDR_MOD_PACK_SEC0_YdstIncr);
        return;
    }
    count_y(&adc->channel[0], mode >> CONFIG_SHIFT_ADDR_MOD_PACK_SEC0_YsrcIncr);
    count_y(&adc->channel[1], mode >> CONFIG_SHIFT_ADDR_MOD_PACK_SEC0_YdstIncr);
    count_z(&adc->channel[0], mode >> CONFIG_SHIFT_ADDR_MOD_PACK_SEC0_ZsrcIncr);
    count_z(&adc->channel[1], mode >> CONFIG_SHIFT_ADDR_MOD_PACK_SEC0_ZdstIncr);
}

/* ---- Issue ------------------------------------------------------------------------------------------------------ */

/* Returns the counters that the instruction uses. */
static inline struct adc *counters_of(struct tensix *x, unsigned thread, uint32_t word) {
    struct tensix_PACR op = tensix_decode_PACR(word);
    if (op.OvrdThreadId)
        thread = op.AddrCntContext == 3 ? 0 : op.AddrCntContext;
    return &x->adc[thread][ADC_PACKERS];
}

static inline bool has_contexts(struct tensix_PACR op) {
    return op.CtxtCtrl || op.CfgContext;
}

static const char *check_contexts(struct tensix_PACR op) {
    if (op.CtxtCtrl != CONTEXT_GIVEN)
        return "CtxtCtrl: no document says which configuration the contexts have that the packer counts";
    return "CfgContext: no document says which configuration a context other than 0 has";
}

/* noinline: lets the compiler compute the addresses of job and counters only once. */
__attribute__((noinline)) static uint64_t move_to(struct pack_job *job, struct adc *adc, struct tensix *x,
                                                  unsigned thread, uint32_t word, uint64_t now) {
    uint64_t again;
    const struct pack_plan *plan = &x->plans.pack;
    struct pack_refusal refusal = pack_fine();
    if (BH_UNLIKELY(!plan_holds(&plan->of, x->config.version, pack_key(thread, word))))
        refusal = pack_prepare(x, thread, word);
    if (BH_UNLIKELY(!plan->rows || !pack_is_placed(&x->pack, plan) || !pack_run_rows(plan, word, adc, job)) &&
        !refusal.text)
        refusal = pack_run(x, word, adc, job);
    if (BH_UNLIKELY(refusal.text))
        return tensix_fault(x, thread, refusal.kind, word, 0, now, "%s", refusal.text);
    if (BH_UNLIKELY(now < x->matrix.dst_ready_at) && (again = rows_ready(&x->matrix, &job->in, now)) > now)
        return tensix_hold(x, thread, again, WAIT_DST_ROWS);
    advance(&x->pack, job, plan->plane);
    count(adc, x->config.thread[thread][CONFIG_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + tensix_decode_PACR(word).AddrMode]);
    queue(x, job, job->cycles, TENSIX_OCCUPANCY_PACR, now);
    return TENSIX_PASSED;
}

static inline uint64_t move(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return move_to(pack_job_at(&x->pack, x->pack.count), counters_of(x, thread, word), x, thread, word, now);
}

/* The slow path: the packer does not accept the word in this cycle, or the word uses contexts. */
__attribute__((noinline)) static uint64_t try_any(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    uint64_t again = pack_enter(x, thread, now);
    struct tensix_PACR op = tensix_decode_PACR(word);
    if (again)
        return again;
    if (op.CtxtCtrl == CONTEXT_RESET)
        return TENSIX_PASSED;
    return tensix_fault(x, thread, BH_FAULT_UNMODELLED, word, 0, now, "%s", check_contexts(op));
}

uint64_t execute_PACR(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    if (BH_UNLIKELY(!takes(x, now) || has_contexts(tensix_decode_PACR(word))))
        return try_any(x, thread, word, now);
    return move(x, thread, word, now);
}
_Static_assert(CONFIG_WORD_ADDR_MOD_PACK_SEC3_YsrcIncr == CONFIG_WORD_ADDR_MOD_PACK_SEC0_YsrcIncr + 3, "");
