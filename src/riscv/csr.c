/* Control and status registers of a baby core (BabyRISCV/CSRs.md).
 *
 * Inexact: the events behind mhpmevent3/4 are not published, so the mhpmcounters store what is written to them and
 * count nothing. The CSRs that a soft reset restores are not published; here it restores all of them. */
#include <string.h>

#include "riscv/ops.h"

enum {
    CSR_FCSR = 0x003,
    CSR_VSTART = 0x008,
    CSR_VXSAT = 0x009,
    CSR_VXRM = 0x00A,
    CSR_MSTATUS = 0x300,
    CSR_MISA = 0x301,
    CSR_MCOUNTINHIBIT = 0x320,
    CSR_MHPMEVENT3 = 0x323,
    CSR_CFG0 = 0x7C0,
    CSR_PMACFG0 = 0x7C1,
    CSR_CFG1 = 0x7C3, /* .. CSR 0x7C6 */
    CSR_MCYCLE = 0xB00,
    CSR_MINSTRET = 0xB02,
    CSR_MHPMCOUNTER3 = 0xB03,
    CSR_MHPMCOUNTER4 = 0xB04,
    CSR_HIGH = 0x80, /* added to the number of a counter, gives the number of its high half */
    CSR_QSTATUS = 0xBC0,
    CSR_BSTATUS = 0xBC1,
    CSR_SSTATUS0 = 0xBC2, /* .. sstatus7, 0xBC9 */
    CSR_INTP_RESTORE_PC = 0xBCA,
    CSR_CYCLE = 0xC00,
    CSR_INSTRET = 0xC02,
    CSR_VL = 0xC20,
    CSR_VTYPE = 0xC21,
    CSR_VLENB = 0xC22,
    CSR_MHARTID = 0xF14,
};

enum {
    MSTATUS_VALUE = (int)0x80006600, /* floating-point and vector state always dirty */
    MISA_VALUE = 0x40201123,         /* RV32IMABFV */
    CFG0_PMC_CLEAR_ON_READ = 1 << 8,
    FCSR_MASK = 0xFF,
};

static bool is_trisc(const struct core *core) {
    return core->id == BH_TRISC0 || core->id == BH_TRISC1 || core->id == BH_TRISC2;
}

/* Returns the storage of a 32-bit CSR that reads as it was last written; NULL for other CSRs. */
static uint32_t *plain(struct core *core, unsigned csr) {
    switch (csr) {
    case CSR_FCSR: return &core->fcsr;
    case CSR_VXSAT: return &core->vec.vxsat;
    case CSR_VXRM: return &core->vec.vxrm;
    case CSR_MCOUNTINHIBIT: return &core->mcountinhibit;
    case CSR_MHPMEVENT3: return &core->hpm_event[0];
    case CSR_MHPMEVENT3 + 1: return &core->hpm_event[1];
    case CSR_CFG0: return &core->cfg0;
    case CSR_PMACFG0: return &core->pmacfg[0];
    case CSR_PMACFG0 + 1: return &core->pmacfg[1];
    case CSR_INTP_RESTORE_PC: return &core->intp_restore_pc;
    case CSR_VL: return &core->vec.vl;
    case CSR_VTYPE: return &core->vec.vtype;
    case CSR_VLENB: return &core->vec.vlenb;
    default: break;
    }
    if (csr >= CSR_CFG1 && csr < CSR_CFG1 + 4)
        return &core->scratch[csr - CSR_CFG1];
    return NULL;
}

static uint32_t plain_mask(unsigned csr) {
    switch (csr) {
    case CSR_FCSR: return FCSR_MASK;
    case CSR_VXSAT: return 1;
    case CSR_VXRM: return 3;
    default: return UINT32_MAX;
    }
}

/* Returns whether a tt_cfg_*status* CSR shows the tile's state. It shows the value that software wrote if the CSRs are
 * frozen, or if it is scratch on this core. */
static bool status_is_live(const struct core *core, unsigned csr) {
    if (core->cfg0 & CFG0_DIS_STATUS)
        return false;
    return csr < CSR_SSTATUS0 || is_trisc(core);
}

/* A write to cfg0 counts as well: it may freeze the status CSRs, which then keep the values that they show. */
bool csr_shows_tile(const struct core *core, unsigned csr) {
    return csr == CSR_CFG0 || (csr >= CSR_QSTATUS && csr < CSR_SSTATUS0 + 8 && status_is_live(core, csr));
}

static uint32_t *status_storage(struct core *core, unsigned csr) {
    if (csr == CSR_QSTATUS || csr == CSR_BSTATUS)
        return &core->frozen_status[csr - CSR_QSTATUS];
    if (csr >= CSR_SSTATUS0 && csr < CSR_SSTATUS0 + 8)
        return &core->sstatus[csr - CSR_SSTATUS0];
    return NULL;
}

bool csr_counts_instructions(unsigned csr) {
    unsigned base = csr & ~(unsigned)CSR_HIGH;
    return base == CSR_MINSTRET || base == CSR_INSTRET;
}

static uint32_t half_of(uint64_t value, bool high) {
    return (uint32_t)(high ? value >> 32 : value);
}

static void set_half(uint64_t *value, bool high, uint32_t half) {
    *value = high ? (*value & UINT32_MAX) | (uint64_t)half << 32 : (*value & ~(uint64_t)UINT32_MAX) | half;
}

/* Reads a 64-bit counter. cycle and instret are writable aliases of mcycle and minstret. */
static bool counter_value(const struct core *core, unsigned csr, uint64_t *value) {
    switch (csr & ~(unsigned)CSR_HIGH) {
    case CSR_MCYCLE:
    case CSR_CYCLE: *value = core_time(core) - core->cycle_base; return true;
    case CSR_MINSTRET:
    case CSR_INSTRET: *value = core->retired - core->retired_base; return true;
    case CSR_MHPMCOUNTER3: *value = core->hpm_counter[0]; return true;
    case CSR_MHPMCOUNTER4: *value = core->hpm_counter[1]; return true;
    default: return false;
    }
}

static void set_counter(struct core *core, unsigned csr, uint64_t value) {
    switch (csr & ~(unsigned)CSR_HIGH) {
    case CSR_MCYCLE:
    case CSR_CYCLE: core->cycle_base = core_time(core) - value; break;
    case CSR_MINSTRET:
    case CSR_INSTRET: core->retired_base = core->retired - value; break;
    case CSR_MHPMCOUNTER3: core->hpm_counter[0] = value; break;
    default: core->hpm_counter[1] = value; break;
    }
}

/* Returns whether the CSR always has the same value. */
static bool is_fixed(unsigned csr) {
    return csr == CSR_VSTART || csr == CSR_MHARTID || csr == CSR_MSTATUS || csr == CSR_MISA;
}

bool csr_peek(const struct core *core, unsigned csr, uint32_t *value) {
    struct core *mutable_core = (struct core *)(uintptr_t)core; /* only finds the storage, does not write */
    const uint32_t *place = plain(mutable_core, csr);
    uint64_t counter;
    if (place) {
        *value = *place;
        return true;
    }
    place = status_storage(mutable_core, csr);
    if (place) {
        *value = status_is_live(core, csr) ? core->port->status_csr(core->owner, core, csr) : *place;
        return true;
    }
    if (counter_value(core, csr, &counter)) {
        *value = half_of(counter, csr & CSR_HIGH);
        return true;
    }
    switch (csr) {
    case CSR_VSTART:
    case CSR_MHARTID: *value = 0; return true;
    case CSR_MSTATUS: *value = (uint32_t)MSTATUS_VALUE; return true;
    case CSR_MISA: *value = MISA_VALUE; return true;
    default: return false;
    }
}

bool csr_exists(const struct core *core, unsigned csr) {
    struct core *mutable_core = (struct core *)(uintptr_t)core; /* as above */
    uint64_t counter;
    return plain(mutable_core, csr) || status_storage(mutable_core, csr) || counter_value(core, csr, &counter) ||
           is_fixed(csr);
}

bool csr_read(struct core *core, unsigned csr, uint32_t *value) {
    unsigned base = csr & ~(unsigned)CSR_HIGH;
    if (!csr_peek(core, csr, value))
        return false;
    if ((core->cfg0 & CFG0_PMC_CLEAR_ON_READ) && (base == CSR_MHPMCOUNTER3 || base == CSR_MHPMCOUNTER4))
        csr_write(core, csr, 0);
    return true;
}

bool csr_write(struct core *core, unsigned csr, uint32_t value) {
    uint32_t *place = plain(core, csr);
    uint64_t counter;
    if (place) {
        if (csr == CSR_CFG0 && (value & ~core->cfg0 & CFG0_DIS_STATUS)) /* freezing keeps the values of this moment */
            for (unsigned i = CSR_QSTATUS; i < CSR_SSTATUS0 + 8; i++)
                if (status_is_live(core, i))
                    *status_storage(core, i) = core->port->status_csr(core->owner, core, i);
        *place = value & plain_mask(csr);
        core_configured(core);
        return true;
    }
    place = status_storage(core, csr);
    if (place) {
        *place = value; /* a live CSR shows the tile's state again in the next cycle */
        return true;
    }
    if (counter_value(core, csr, &counter)) {
        set_half(&counter, csr & CSR_HIGH, value);
        set_counter(core, csr, counter);
        return true;
    }
    return is_fixed(csr); /* read-only: ignored */
}
