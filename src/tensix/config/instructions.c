/* Instructions of the Configuration Unit. Each uses the bank that its thread selects in the cycle of its entry.
 *
 * Sources: WRCFG.md, RDCFG.md, SETC16.md, RMWCIB.md, CFGSHIFTMASK.md, STREAMWRCFG.md (BH). Assumed: the GPRs of all
 * threads together have one write port for landing results; the pages mention contention without a number. */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "tensix/batch.h"
#include "tensix/config/pipeline.h"
#include "tensix/clock.h"

/* ---- Common to all -------------------------------------------------------------------------------- */

__attribute__((noinline)) static uint64_t no_such_word(struct tensix *x, unsigned thread, uint32_t word, uint32_t index,
                                                       uint64_t now) {
    return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, index, now, "Config has no word %u, only %u of them",
                        index, (unsigned)CONFIG_WORDS);
}

static inline bool may_enter(const struct tensix *x, enum pipeline_path path, uint64_t now) {
    return BH_LIKELY(pipeline_open(&x->config.pipe, path, now));
}

/* Holds a word that cannot enter yet, and returns as a handler does. noinline: keeps spills out of the hot path. */
__attribute__((noinline)) static uint64_t wait_for_entry(struct tensix *x, unsigned thread, enum pipeline_path path,
                                                         uint64_t now) {
    return tensix_hold(x, thread, pipeline_admits(&x->config, path, now), WAIT_CONFIG_PIPELINE);
}

/* Does what pipeline_enter does, and makes the configuration pipeline busy for the thread until the returned cycle. */
static inline uint64_t enter(struct tensix *x, unsigned thread, enum pipeline_path path, uint64_t now) {
    uint64_t until = pipeline_enter(&x->config, path, now);
    tensix_busy_until(x, thread, TENSIX_BUSY_CONFIG, until);
    return until;
}

/* Queues the landing of 4 or 16 bytes (size) in Config. */
static inline void land_config(struct tensix *x, unsigned bank, unsigned index, const uint32_t *value, unsigned size,
                               bool by_rmw, uint64_t time) {
    unsigned where = size == 4 && config_is_plain(index) ? TENSIX_LAND_WORD : TENSIX_LAND_CONFIG;
    tensix_land(x, time, landing_key(where, bank, index, size) | (by_rmw ? LANDING_BY_RMW : 0), value, size);
}

static inline void land_word(struct tensix *x, unsigned bank, unsigned index, uint32_t value, uint64_t time) {
    land_config(x, bank, index, &value, 4, false, time);
}

/* ---- GPRs ----------------------------------------------------------------------------------------- */

static void land_quad(struct tensix *x, unsigned thread, unsigned gpr, unsigned index, uint64_t time) {
    land_config(x, tensix_bank(x, thread), index & ~3u, &x->gpr[thread][gpr & ~3u], 16, false, time);
}

/* Returns whether an instruction neither reads Config nor changes anything that can. */
static bool ignores_config(uint32_t word) {
    switch (word >> 24) {
    case TENSIX_WRCFG:
    case TENSIX_SETC16:
    case TENSIX_STALLWAIT:
    case TENSIX_NOP: return true;
    case TENSIX_SETDMAREG: return !tensix_decode_SETDMAREG(word).SetSignalsMode;
    default: return false;
    }
}

/* Returns whether a plain word of Config can be written two cycles early, in a batch: no other result lands, nobody but
 * the thread acts, and its next word does not look. (That word is part of the batch, so the run does not end before the
 * cycle after it.) */
static inline bool nobody_looks_before(const struct tensix *x, uint64_t seen, uint64_t now) {
    return x->next_other_event > now + 1 && x->next_landing > seen && ignores_config(batch_next_word(x));
}
_Static_assert(TENSIX_LATENCY_WRCFG == 2, "there is one cycle between");

uint64_t execute_WRCFG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_WRCFG op = tensix_decode_WRCFG(word);
    if (op.CfgReg >= CONFIG_WORDS)
        return no_such_word(x, thread, word, op.CfgReg, now);
    if (!may_enter(x, PIPELINE_WRITE, now))
        return wait_for_entry(x, thread, PIPELINE_WRITE, now);
    uint64_t seen = enter(x, thread, PIPELINE_WRITE, now);
    if (op.wr128b)
        land_quad(x, thread, op.GprAddress, op.CfgReg, seen);
    else if (config_is_plain(op.CfgReg) && nobody_looks_before(x, seen, now))
        tensix_store_plain(x, tensix_bank(x, thread), op.CfgReg, x->gpr[thread][op.GprAddress]);
    else
        land_word(x, tensix_bank(x, thread), op.CfgReg, x->gpr[thread][op.GprAddress], seen);
    return TENSIX_PASSED;
}

static bool gpr_port_taken(struct tensix *x, uint64_t time) {
    for (unsigned i = 0; i < x->landings; i++)
        if (tensix_landing_place(x, i)->where == TENSIX_LAND_GPR && tensix_landing_place(x, i)->time == time)
            return true;
    return false;
}

uint64_t execute_RDCFG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_RDCFG op = tensix_decode_RDCFG(word);
    if (op.CfgReg >= CONFIG_WORDS)
        return no_such_word(x, thread, word, op.CfgReg, now);
    if (!may_enter(x, PIPELINE_READ, now))
        return wait_for_entry(x, thread, PIPELINE_READ, now);
    uint64_t seen = enter(x, thread, PIPELINE_READ, now);
    while (gpr_port_taken(x, seen))
        seen = pipeline_delay_read(&x->config);
    tensix_busy_until(x, thread, TENSIX_BUSY_CONFIG, seen);
    tensix_land_word(x, seen, landing_key(TENSIX_LAND_GPR, thread, op.GprAddress, 4),
                     x->config.bank[tensix_bank(x, thread)][op.CfgReg]);
    return TENSIX_PASSED;
}

/* ---- Immediates ------------------------------------------------------------------------------------- */

static void reset_contexts(struct config *config, unsigned thread) {
    if (CONFIG_GET(config->thread[thread], UNPACK_MISC_CFG_CfgContextCntReset_0))
        config->context_count[thread][0] = 0;
    if (CONFIG_GET(config->thread[thread], UNPACK_MISC_CFG_CfgContextCntReset_1))
        config->context_count[thread][1] = 0;
}

/* Returns whether a write of ThreadConfig starts or stops performance counters. The headers list four commands; no
 * document says which counters they are for. */
static inline bool commands_counters(const struct tensix_SETC16 *op) {
    return op->setc16_reg == CONFIG_WORD_PERF_CNT_CMD_Cmd0Start && (op->setc16_value & 0xFF);
}

/* Returns whether a write of this register of ThreadConfig only changes the register and has no other effect. */
static inline bool is_plain_register(unsigned reg) {
    return reg < CONFIG_WORD_UNPACK_MISC_CFG_CfgContextCntReset_0;
}
_Static_assert((int)CONFIG_WORD_PERF_CNT_CMD_Cmd0Start > (int)CONFIG_WORD_UNPACK_MISC_CFG_CfgContextCntReset_0 &&
                   (int)TENSIX_SYNC_REGISTER > (int)CONFIG_WORD_UNPACK_MISC_CFG_CfgContextCntReset_0 &&
                   (int)CONFIG_WORD_STREAM_ID_SYNC_SEC0_BankSel > (int)CONFIG_WORD_UNPACK_MISC_CFG_CfgContextCntReset_0,
               "registers whose writes do more are not plain");

/* Writes the register at once. Nobody can see that it is early: only the issuing thread reads its ThreadConfig, from
 * the next cycle on, and cores at later times. */
static inline void write_register(struct tensix *x, unsigned thread, uint32_t word) {
    struct tensix_SETC16 op = tensix_decode_SETC16(word);
    x->config.thread[thread][op.setc16_reg] = (uint16_t)op.setc16_value;
    config_changed(&x->config);
}

/* noinline: keeps spills out of the path of plain registers. */
__attribute__((noinline)) static uint64_t set_special(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_SETC16 op = tensix_decode_SETC16(word);
    if (op.setc16_reg >= CONFIG_THREAD_WORDS)
        return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, op.setc16_reg, now,
                            "ThreadConfig has no register %u, only %u of them", op.setc16_reg,
                            (unsigned)CONFIG_THREAD_WORDS);
    if (commands_counters(&op))
        return tensix_fault(x, thread, BH_FAULT_UNMODELLED, word, op.setc16_reg, now,
                            "no document says which performance counters PERF_CNT_CMD starts and stops");
    write_register(x, thread, word);
    tensix_busy_until(x, thread, TENSIX_BUSY_CONFIG, now + TENSIX_LATENCY_SETC16);
    if (op.setc16_reg == TENSIX_SYNC_REGISTER)
        frontend_resynced(&x->thread[thread].frontend);
    if (op.setc16_reg == CONFIG_WORD_UNPACK_MISC_CFG_CfgContextCntReset_0)
        reset_contexts(&x->config, thread);
    if (op.setc16_reg >= CONFIG_WORD_STREAM_ID_SYNC_SEC0_BankSel &&
        op.setc16_reg <= CONFIG_WORD_STREAM_ID_SYNC_SEC3_BankSel)
        gate_event(x, now + TENSIX_LATENCY_SETC16); /* a latched STREAMWAIT now looks at another stream */
    return TENSIX_PASSED;
}

/* Writes the register, and those of the words of the batch that follow. */
static uint64_t write_registers(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct batch_row row = batch_row(x, now);
    uint32_t next;
    write_register(x, thread, word);
    while (batch_row_sees(&row, word, 0xFFu << 24, &next) && is_plain_register(tensix_decode_SETC16(next).setc16_reg)) {
        write_register(x, thread, next);
        batch_row_take(&row);
    }
    tensix_busy_until(x, thread, TENSIX_BUSY_CONFIG, row.now + TENSIX_LATENCY_SETC16);
    return batch_row_end(x, &row, now);
}

uint64_t execute_SETC16(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    if (BH_UNLIKELY(!is_plain_register(tensix_decode_SETC16(word).setc16_reg)))
        return set_special(x, thread, word, now);
    if (batch_makes_rows(x))
        return write_registers(x, thread, word, now);
    write_register(x, thread, word);
    tensix_busy_until(x, thread, TENSIX_BUSY_CONFIG, now + TENSIX_LATENCY_SETC16);
    return TENSIX_PASSED;
}

/* Returns whether a word can be written a cycle early: in this cycle only the running instruction can read Config, and
 * no other result lands before or together with this one. */
static bool can_write_now(const struct tensix *x, uint64_t now) {
    return x->next_other_event > now && x->next_landing > now + TENSIX_LATENCY_RMWCIB0;
}

static uint64_t rmw_byte(struct tensix *x, unsigned thread, uint32_t word, unsigned byte, uint64_t now) {
    struct tensix_RMWCIB0 op = tensix_decode_RMWCIB0(word); /* the four have the same fields */
    if (op.CfgRegAddr >= CONFIG_WORDS)
        return no_such_word(x, thread, word, op.CfgRegAddr, now);
    if (!may_enter(x, PIPELINE_SINGLE, now))
        return wait_for_entry(x, thread, PIPELINE_SINGLE, now);
    unsigned bank = tensix_bank(x, thread);
    uint32_t mask = op.Mask << 8 * byte, old = x->config.bank[bank][op.CfgRegAddr];
    uint32_t value = (old & ~mask) | (op.Data << 8 * byte & mask);
    uint64_t seen = enter(x, thread, PIPELINE_SINGLE, now);
    if (can_write_now(x, now) && config_is_plain(op.CfgRegAddr))
        tensix_store_plain(x, bank, op.CfgRegAddr, value);
    else
        land_config(x, bank, op.CfgRegAddr, &value, 4, true, seen);
    return TENSIX_PASSED;
}

uint64_t execute_RMWCIB0(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return rmw_byte(x, thread, word, 0, now);
}

uint64_t execute_RMWCIB1(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return rmw_byte(x, thread, word, 1, now);
}

uint64_t execute_RMWCIB2(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return rmw_byte(x, thread, word, 2, now);
}

uint64_t execute_RMWCIB3(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return rmw_byte(x, thread, word, 3, now);
}

/* ---- Scratch words ------------------------------------------------------------------------------------ */

static uint32_t combine(unsigned operation, uint32_t old, uint32_t scratch) {
    switch (operation) {
    case 0: return old | scratch;
    case 1: return old & scratch;
    case 2: return old ^ scratch;
    case 3: return old + scratch;
    case 4: return old | ~scratch;
    case 5: return old & ~scratch;
    case 6: return old ^ ~scratch;
    default: return old - scratch;
    }
}

uint64_t execute_CFGSHIFTMASK(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_CFGSHIFTMASK op = tensix_decode_CFGSHIFTMASK(word);
    if (op.CfgReg >= CONFIG_WORDS)
        return no_such_word(x, thread, word, op.CfgReg, now);
    if (!may_enter(x, PIPELINE_SHIFT, now))
        return wait_for_entry(x, thread, PIPELINE_SHIFT, now);
    unsigned bank = tensix_bank(x, thread), own = op.scratch_sel < 3 ? op.scratch_sel : thread;
    const uint32_t *config = x->config.bank[bank];
    uint32_t mask = (UINT32_C(2) << op.mask_width) - 1;
    uint32_t scratch = bits_rotate_right(config[CONFIG_WORD_SCRATCH_SEC0_val + own] & mask, op.right_cshift_amt);
    uint32_t old = config[op.CfgReg];
    if (!op.disable_mask_on_old_val)
        old &= ~bits_rotate_right(mask, op.right_cshift_amt);
    land_word(x, bank, op.CfgReg, combine(op.operation, old, scratch), enter(x, thread, PIPELINE_SHIFT, now));
    return TENSIX_PASSED;
}

/* ---- Streams -------------------------------------------------------------------------------------------- */

/* Returns the cycle in which the last STREAMWRCFG is in stage -3 and reads its stream. */
static uint64_t reads_stream_in(const struct config *config) {
    return config->pipe.stream_gone - PIPELINE_FROM_PREPARING;
}

static void wait_for_overlay(struct tensix *x) {
    struct config *config = &x->config;
    uint64_t wanted = reads_stream_in(config);
    if (config->overlay_busy_until > wanted)
        tensix_busy_until(x, config->pipe.stream_thread, TENSIX_BUSY_CONFIG,
                          pipeline_delay_stream(config, config->overlay_busy_until - wanted));
}

/* Checks now that the register exists, so that a fault names the right instruction. The value is read later, in stage
 * -3 (config_read_stream). */
uint64_t execute_STREAMWRCFG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_STREAMWRCFG op = tensix_decode_STREAMWRCFG(word);
    unsigned stream = tensix_stream(x, thread, op.stream_id_sel);
    uint32_t value;
    if (op.CfgReg >= CONFIG_WORDS)
        return no_such_word(x, thread, word, op.CfgReg, now);
    struct access access = x->port->stream(x->owner, stream, op.StreamRegAddr, &value);
    if (access.result != ACCESS_DONE)
        return tensix_fault(x, thread, access.kind, word, op.StreamRegAddr, now, "stream %u: %s", stream, access.text);
    if (!may_enter(x, PIPELINE_STREAM, now))
        return wait_for_entry(x, thread, PIPELINE_STREAM, now);
    enter(x, thread, PIPELINE_STREAM, now);
    x->config.pipe.stream_thread = (uint8_t)thread;
    wait_for_overlay(x);
    tensix_land(x, reads_stream_in(&x->config), landing_key(TENSIX_LAND_STREAM, tensix_bank(x, thread), op.CfgReg, 0),
                (uint32_t[]){ stream, op.StreamRegAddr }, 2 * sizeof(uint32_t));
    return TENSIX_PASSED;
}

/* The landing belongs to the last STREAMWRCFG, since stage -4 has room for only one instruction. */
void config_read_stream(struct tensix *x, const struct tensix_landing *landing) {
    (void)BH_CHECK(x->error, reads_stream_in(&x->config) == landing->time);
    wait_for_overlay(x);
    if (reads_stream_in(&x->config) > landing->time) {
        tensix_land(x, reads_stream_in(&x->config), landing->key, landing->value, sizeof landing->value);
        return;
    }
    uint32_t value = 0;
    x->port->stream(x->owner, landing->value[0], landing->value[1], &value);
    land_word(x, landing->owner, landing->index, value, x->config.pipe.stream_gone);
}
