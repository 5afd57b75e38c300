/* The configuration registers of the Tensix coprocessor in C: config.def in the forms that the emulator uses. */
#ifndef ISA_CONFIG_H
#define ISA_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CONFIG_WORDS = 224,       /* words of one bank of Config */
    CONFIG_THREAD_WORDS = 68, /* words of ThreadConfig, 16 bits each */
#define CONFIG_SECTION(section, base) CONFIG_BASE_##section = (base),
#include "isa/config.def"
};

/* Numbers of the fields, without gaps: CONFIG_FIELD_PRNG_SEED_Seed_Val ... */
enum config_field_id {
#define CONFIG_FIELD(section, name, word, shift, width) CONFIG_FIELD_##name,
#include "isa/config.def"
    CONFIG_FIELD_COUNT
};

/* Constants for each field: CONFIG_WORD_<name>, CONFIG_SHIFT_<name>, CONFIG_WIDTH_<name>. */
#define CONFIG_FIELD(section, name, word, shift, width) \
    enum { CONFIG_WORD_##name = (word), CONFIG_SHIFT_##name = (shift), CONFIG_WIDTH_##name = (width) };
#include "isa/config.def"

/* The value of a field in an array of words: a bank of Config, or the ThreadConfig of a thread. For a field of several
 * words this is the value of the first word. */
#define CONFIG_GET(words, name) \
    ((uint32_t)(words)[CONFIG_WORD_##name] >> CONFIG_SHIFT_##name & \
     (CONFIG_WIDTH_##name < 32 ? (UINT32_C(1) << CONFIG_WIDTH_##name % 32) - 1 : UINT32_MAX))

struct config_field {
    const char *name;
    const char *section; /* "THREAD": the field is in ThreadConfig; else in Config */
    bool thread;
    uint8_t word;
    uint8_t shift;
    uint8_t width; /* 1..32; 128 for a tile descriptor, which continues in the words that follow */
};

extern const struct config_field config_fields[CONFIG_FIELD_COUNT];

/* The bits that the words of Config do not have: those that belong to no field. They ignore writes and read as zero, as
 * in the official simulator. A word without fields has all bits, since no document says more about it. */
extern const uint32_t config_missing[CONFIG_WORDS];

/* Numbers of the parts of words of ThreadConfig: CONFIG_PART_SRCA_SET_Base ... */
enum config_part_id {
#define CONFIG_PART(field, last) CONFIG_PART_##field,
#include "isa/config.def"
    CONFIG_PART_COUNT
};

struct config_part {
    const char *name; /* of the field that keeps a value */
    uint8_t word;
    uint8_t shift; /* of that field */
    uint16_t kept; /* bits of that field */
    uint16_t all;  /* bits of all fields of the part */
};

/* The parts of a word are next to each other. A word without parts is one value. */
extern const struct config_part config_parts[CONFIG_PART_COUNT];

#endif
