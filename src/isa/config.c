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
