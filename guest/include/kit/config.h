/* Sets configuration registers by their names (cfg_defines.h). BH pages BackendConfiguration, RMWCIB, WRCFG. */
#ifndef KIT_CONFIG_H
#define KIT_CONFIG_H

#include "cfg_defines.h"
#include "kit/sync.h"

/* Writes a whole word, by a store. Instructions that are pushed later may overtake it: STALLWAIT(..., UNTIL_CORE). */
static inline void config_write(unsigned word, unsigned value) {
    reg_write(MAP_CFG + 4 * word, value);
}

static inline unsigned config_read(unsigned word) {
    return reg_read(MAP_CFG + 4 * word);
}

/* Sets a field, in the order of the thread's instructions. Other threads may change other fields of the word meanwhile:
 * every byte is changed within one cycle. */
#define CONFIG_SET(field, value) config_set(field##_ADDR32, field##_MASK, (unsigned)(value) << field##_SHAMT)

TT_INLINE void config_set(unsigned word, unsigned mask, unsigned data) {
    if (mask & 0xFF)
        TT_RMWCIB0(mask & 0xFF, data & mask & 0xFF, word);
    if (mask >> 8 & 0xFF)
        TT_RMWCIB1(mask >> 8 & 0xFF, (data & mask) >> 8 & 0xFF, word);
    if (mask >> 16 & 0xFF)
        TT_RMWCIB2(mask >> 16 & 0xFF, (data & mask) >> 16 & 0xFF, word);
    if (mask >> 24)
        TT_RMWCIB3(mask >> 24, (data & mask) >> 24, word);
}

/* Set a GPR, and a word of Config from a GPR, in the order of the thread's instructions. */
static inline void gpr_set(unsigned gpr, unsigned value) {
    TT_SETDMAREG(0, value & 0xFFFF, 0, 2 * gpr);
    TT_SETDMAREG(0, value >> 16, 0, 2 * gpr + 1);
}

static inline unsigned gpr_read(unsigned gpr) {
    return reg_read(MAP_GPR + 4 * gpr);
}

static inline void config_from_gpr(unsigned word, unsigned gpr) {
    TTI_STALLWAIT(STALL_CONFIG, UNTIL_SCALAR);
    TT_WRCFG(gpr, 0, word);
    TTI_NOP(); /* the next two instructions would still see the old value */
    TTI_NOP();
}

#endif
