/* Tile control registers: decoding, the wall clock and its latch. Soft reset is in reset.c; PCBuf overrides take effect
 * in pcbuf.c. Inexact: a register is read-only only where a document says so. */
#include "tile/control.h"

#include <string.h>

struct row {
    enum reg_class class;
    const char *unmodelled;
};

#define FULL_NAME_TDMA    "RISCV_TDMA_REG_"
#define FULL_NAME_CONTROL "RISCV_DEBUG_REG_"

static const struct row rows[REG_COUNT] = {
#define REG(block, offset, name, class, reset, meaning) \
    { REG_##class, FULL_NAME_##block #name " is not modelled (" meaning ")" },
#include "isa/regs.def"
};

/* Returns the register at an address; REG_COUNT if there is none. Two rows of regs.def with the same address would not
 * compile. */
static enum reg_id id_at(uint32_t address) {
    /* clang-format 14 runs a case label in a macro into the include behind it. */
    /* clang-format off */
    switch ((int)address) {
#define CASE_TDMA(offset, name)
#define CASE_CONTROL(offset, name) case REG_BLOCK_CONTROL + (offset): return REG_CONTROL_##name;
#define REG(block, offset, name, class, reset, meaning) CASE_##block(offset, name)
#include "isa/regs.def"
    default: return REG_COUNT;
    }
    /* clang-format on */
}

void control_init(struct control *control) {
    static const uint32_t power_on[REG_COUNT] = {
#define REG(block, offset, name, class, reset, meaning) reset,
#include "isa/regs.def"
    };
    memcpy(control->value, power_on, sizeof power_on);
    control->watchdog_since = 0;
}

static bool watchdog_counts(const struct control *control) {
    return control->value[REG_CONTROL_WDT_CNTL] & 1;
}

uint64_t control_watchdog_end(const struct control *control) {
    return watchdog_counts(control) ? control->watchdog_since + control->value[REG_CONTROL_WATCHDOG_TIMER] : UINT64_MAX;
}

static uint32_t watchdog_at(const struct control *control, uint64_t time) {
    uint64_t end = control_watchdog_end(control);
    if (!watchdog_counts(control) || time <= control->watchdog_since)
        return control->value[REG_CONTROL_WATCHDOG_TIMER];
    return time < end ? (uint32_t)(end - time) : 0;
}

static struct access unknown(void) {
    return access_refused(BH_FAULT_UNMAPPED, "there is no register at this offset");
}

static struct access unmodelled(enum reg_id id) {
    return access_refused(BH_FAULT_UNMODELLED, rows[id].unmodelled);
}

struct access control_peek(const struct control *control, uint32_t address, uint64_t time, uint32_t *value) {
    enum reg_id id = id_at(address);
    if (id == REG_COUNT)
        return unknown();
    if (rows[id].class == REG_FAULT || rows[id].class == REG_CLEAR)
        return unmodelled(id);
    if (id == REG_CONTROL_WALL_CLOCK_0)
        *value = (uint32_t)time;
    else if (id == REG_CONTROL_WALL_CLOCK_1)
        *value = (uint32_t)(time >> 32);
    else if (id == REG_CONTROL_WATCHDOG_TIMER)
        *value = watchdog_at(control, time);
    else if (id == REG_CONTROL_WDT_STATUS)
        *value = control_watchdog_end(control) <= time;
    else
        *value = control->value[id];
    return access_done();
}

/* Returns whether the register shows performance counters. */
static bool is_count(enum reg_id id) {
    return id >= REG_CONTROL_PERF_CNT_OUT_L_INSTRN_THREAD && id <= REG_CONTROL_PERF_CNT_OUT_H_FPU;
}

static void latch_clock(struct control *control, uint64_t time) {
    control->value[REG_CONTROL_WALL_CLOCK_1_AT] = (uint32_t)(time >> 32);
}

struct access control_read(struct control *control, uint32_t address, uint64_t time, uint32_t *value) {
    if (id_at(address) == REG_CONTROL_WALL_CLOCK_0)
        latch_clock(control, time);
    return control_peek(control, address, time, value);
}

/* Returns what a register keeps of a value: the upper bits of INSTRN_BUF_CTRL0 are always zero
 * (PushTensixInstruction.md). */
static uint32_t kept_bits(enum reg_id id, uint32_t value) {
    return id == REG_CONTROL_DBG_INSTRN_BUF_CTRL0 ? value & 0xFF : value;
}

static struct access write_modelled(struct control *control, enum reg_id id, uint32_t value, uint64_t time) {
    switch (id) {
    case REG_CONTROL_WALL_CLOCK_0: latch_clock(control, time); break;
    case REG_CONTROL_WATCHDOG_TIMER:
    case REG_CONTROL_WDT_CNTL:
        control->value[REG_CONTROL_WATCHDOG_TIMER] = watchdog_at(control, time);
        control->watchdog_since = time;
        control->value[id] = value;
        break;
    case REG_CONTROL_WDT_STATUS:
    case REG_CONTROL_WALL_CLOCK_1:
    case REG_CONTROL_WALL_CLOCK_1_AT:
    case REG_CONTROL_TENSIX_CREG_RDDATA:
    case REG_CONTROL_DBG_RD_DATA:
    case REG_CONTROL_DBG_ARRAY_RD_DATA:
    case REG_CONTROL_DBG_INSTRN_BUF_STATUS: break; /* read-only */
    default:
        if (!is_count(id))
            control->value[id] = kept_bits(id, value);
        break;
    }
    return access_done();
}

struct access control_write(struct control *control, uint32_t address, uint32_t value, uint64_t time) {
    enum reg_id id = id_at(address);
    if (id == REG_COUNT)
        return unknown();
    switch (rows[id].class) {
    case REG_MODELLED: return write_modelled(control, id, value, time);
    case REG_STORAGE:
    case REG_SINK: control->value[id] = value; return access_done();
    case REG_ZERO:
    case REG_CLEAR: return access_done();
    case REG_OFF: return value ? unmodelled(id) : access_done();
    case REG_FAULT: break;
    }
    return unmodelled(id);
}

struct access control_poke(struct control *control, uint32_t address, uint32_t value) {
    enum reg_id id = id_at(address);
    if (id == REG_COUNT)
        return unknown();
    if (id == REG_CONTROL_WALL_CLOCK_0 || id == REG_CONTROL_WALL_CLOCK_1)
        return access_refused(BH_FAULT_UNMODELLED, "the wall clock is the chip's time and cannot be set");
    if (id == REG_CONTROL_WATCHDOG_TIMER || id == REG_CONTROL_WDT_CNTL || id == REG_CONTROL_WDT_STATUS)
        return access_refused(BH_FAULT_UNMODELLED, "the watchdog counts cycles: write its registers");
    if (id == REG_CONTROL_SOFT_RESET_0)
        return access_refused(BH_FAULT_UNMODELLED, "SOFT_RESET_0 acts on cores: write it, or hold and release them");
    if (id == REG_CONTROL_RISC_DBG_CNTL_0)
        return access_refused(BH_FAULT_UNMODELLED, "RISC_DBG_CNTL_0 acts on cores: write it");
    if (id == REG_CONTROL_DBG_L1_MEM_REG2)
        return access_refused(BH_FAULT_UNMODELLED, "DBG_L1_MEM_REG2 acts on L1: write it");
    if (rows[id].class == REG_FAULT || rows[id].class == REG_CLEAR || (rows[id].class == REG_OFF && value))
        return unmodelled(id);
    control->value[id] = kept_bits(id, value);
    return access_done();
}

bool control_steady(uint32_t address) {
    enum reg_id id = id_at(address);
    switch (id) {
    case REG_CONTROL_WALL_CLOCK_0:
    case REG_CONTROL_WALL_CLOCK_1:
    case REG_CONTROL_WATCHDOG_TIMER:
    case REG_CONTROL_WDT_STATUS:
    case REG_CONTROL_DBG_RD_DATA:
    case REG_CONTROL_DBG_ARRAY_RD_DATA:
    case REG_CONTROL_DBG_INSTRN_BUF_STATUS:
    case REG_CONTROL_TENSIX_CREG_RDDATA:
    case REG_CONTROL_TIMESTAMP_DUMP_STATUS:
    case REG_COUNT: return false;
    default: return !is_count(id);
    }
}
