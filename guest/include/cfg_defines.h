/* The Tensix configuration registers for programs of the emulated cores, by the names of tt-llk:
 * <field>_ADDR32 (word), <field>_SHAMT and <field>_MASK (in place), and <section>_CFGREG_BASE_ADDR32.
 * The masks of the two tile descriptors, which fill four words, are those of the first word.
 * Include path: this folder and the one that contains isa/config.def. */
#ifndef BHEMU_GUEST_CFG_DEFINES_H
#define BHEMU_GUEST_CFG_DEFINES_H

#define CFG_STATE_SIZE 56 /* size of a bank of Config, in units of 16 bytes */
#define THD_STATE_SIZE 68 /* number of registers of ThreadConfig */

enum {
#define CONFIG_SECTION(section, base) section##_CFGREG_BASE_ADDR32 = (base),
#include "isa/config.def"
};

#define TT_CFG_MASK(shift, width) ((width) < 32 ? ((1u << (width) % 32) - 1) << (shift) : 0xFFFFFFFFu)
/* __extension__: a mask with bit 31 set does not fit into an int, as enumerators must in strict C17. */
#define CONFIG_FIELD(section, name, word, shift, width) \
    __extension__ enum { \
        name##_ADDR32 = (word), \
        name##_SHAMT = (shift), \
        name##_MASK = TT_CFG_MASK(shift, width), \
    };
#include "isa/config.def"

/* The three numbers of a field as arguments, where tt-llk has <field>_RMW. */
#define TT_CFG_RMW(field) field##_ADDR32, field##_SHAMT, field##_MASK

#endif
