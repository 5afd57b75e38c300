/* The table of configuration fields, from config.def. Two fields that share a bit, or a field outside its section or
 * its word, do not compile. BH:BackendConfiguration.md */
#include "isa/config.h"

#define IN_THREAD(section) (CONFIG_SECTION_##section == CONFIG_SECTION_THREAD)
enum section {
#define CONFIG_SECTION(name, base) CONFIG_SECTION_##name,
#include "isa/config.def"
};

#define CONFIG_FIELD(section, name, word, shift, width) \
    _Static_assert((word) >= CONFIG_BASE_##section && \
                       (word) < (IN_THREAD(section) ? CONFIG_THREAD_WORDS : CONFIG_WORDS), \
                   #name ": a field lies in its section"); \
    _Static_assert((width) >= 1 && \
                       ((width) == 128 ? (shift) == 0 : (shift) + (width) <= (IN_THREAD(section) ? 16 : 32)), \
                   #name ": a field lies in its word");
#include "isa/config.def"

const struct config_field config_fields[CONFIG_FIELD_COUNT] = {
#define CONFIG_FIELD(part, label, index, low, bits) \
    [CONFIG_FIELD_##label] = { \
        .name = #label, .section = #part, .thread = IN_THREAD(part), .word = index, .shift = low, .width = bits \
    },
#include "isa/config.def"
};

/* tests/isa/config compares these with the fields. */
const uint32_t config_missing[CONFIG_WORDS] = {
    [0] = 0xFFFF8000,   [3] = 0xE0000000,   [4] = 0xFFFFFFFE,   [5] = 0xFFFFFFFE,   [6] = 0xFFFF0000,
    [7] = 0xFFFF0000,   [8] = 0xFFFFFFFC,   [16] = 0xFFFC0000,  [17] = 0xFFFC0000,  [18] = 0xFFFFFFF0,
    [19] = 0xFFFFFE00,  [24] = 0xFE000000,  [25] = 0xFFFF0000,  [26] = 0xFFFF0000,  [27] = 0xFFFF0000,
    [32] = 0xFFFF0000,  [33] = 0xFFFF0000,  [34] = 0xFFFF0000,  [35] = 0xFFFF0000,  [40] = 0xFFFFFFFE,
    [48] = 0xFFFC0000,  [49] = 0xFFFC0000,  [50] = 0xFFFFFE00,  [60] = 0xFFFC0000,  [61] = 0xFFFC0000,
    [62] = 0xFFFFFE00,  [71] = 0x00200000,  [73] = 0x0000E000,  [74] = 0xFFFE0000,  [75] = 0xFFFE0000,
    [99] = 0x00E00000,  [100] = 0xFFFE0000, [101] = 0xFFFE0000, [102] = 0xFFFE0000, [103] = 0xFFFE0000,
    [104] = 0xFFFE0000, [105] = 0xFFFC0000, [106] = 0xFF000000, [107] = 0xFF000000, [111] = 0xFFFF0000,
    [119] = 0x00200000, [121] = 0x0000E000, [122] = 0xFFFE0000, [123] = 0xFFFE0000, [147] = 0x00E00000,
    [148] = 0xFFFE0000, [149] = 0xFFFE0000, [150] = 0xFFFE0000, [151] = 0xFFFE0000, [152] = 0xFFFE0000,
    [153] = 0xFFFC0000, [154] = 0xFF000000, [155] = 0xFF000000, [159] = 0xFFFF0000, [180] = 0xFFFC0000,
    [181] = 0xFFFC0000, [182] = 0xFFFC0000, [183] = 0xFFFC0000, [184] = 0xFFFFFFFC, [185] = 0xFFFFFFE0,
    [208] = 0xFFFFE000, [212] = 0xFFFC0000, [213] = 0xFFFE0000, [216] = 0xFFF80000, [217] = 0xFFFE0000,
    [218] = 0xFFFC0000, [219] = 0xF8000000, [220] = 0xFFFFFFF0, [221] = 0xFFFFFFF0, [222] = 0xFFFFFFFE,
};

/* Whether each field is in ThreadConfig. */
enum {
#define CONFIG_FIELD(section, name, word, shift, width) CONFIG_THREAD_##name = IN_THREAD(section),
#include "isa/config.def"
};

#define ENDS_AT(field) (CONFIG_SHIFT_##field + CONFIG_WIDTH_##field)
#define CONFIG_PART(field, last) \
    _Static_assert((int)CONFIG_WORD_##field == (int)CONFIG_WORD_##last && ENDS_AT(field) <= ENDS_AT(last), \
                   #field ": a part lies in one word"); \
    _Static_assert(CONFIG_THREAD_##field, #field ": a part lies in ThreadConfig");
#include "isa/config.def"

/* The bits from `low` to below `end`. */
#define BITS(low, end) ((1u << (end)) - (1u << (low)))

const struct config_part config_parts[CONFIG_PART_COUNT] = {
#define CONFIG_PART(field, last) \
    [CONFIG_PART_##field] = { \
        .name = #field, \
        .word = CONFIG_WORD_##field, \
        .shift = CONFIG_SHIFT_##field, \
        .kept = BITS(CONFIG_SHIFT_##field, ENDS_AT(field)), \
        .all = BITS(CONFIG_SHIFT_##field, ENDS_AT(last)), \
    },
#include "isa/config.def"
};

/* Case ranges make the compiler reject fields that overlap. They are an extension that gcc and clang have. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define BIT(section, word, bit) (IN_THREAD(section) * CONFIG_WORDS * 32 + (word)*32 + (bit))
__attribute__((unused)) static bool has_a_name(unsigned bit) {
    switch (bit) {
#define CONFIG_FIELD(section, name, word, shift, width) \
    case BIT(section, word, shift)... BIT(section, word, (shift) + (width)-1):
#include "isa/config.def"
        return true;
    default: return false;
    }
}
#pragma GCC diagnostic pop
