/* Parses descriptions of layouts: see layout.h. */
#include "firmware/layout.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "script/script.h"
#include "machine/addresses.h"

const enum bh_core processor_core[PROCESSORS] = { BH_BRISC, BH_NCRISC, BH_TRISC0, BH_TRISC1, BH_TRISC2 };

static const struct number_key {
    const char *section, *name;
    size_t at; /* offset of a uint32_t in struct layout */
    uint32_t max;
    bool required;
} number_keys[] = {
#define KEY(section, name, member, max, required) { section, name, offsetof(struct layout, member), max, required },
    KEY("mailbox", "sync", sync, L1_SIZE - 4, true)               /**/
    KEY("mailbox", "rd_ptr", rd_ptr, L1_SIZE - 4, true)           /**/
    KEY("mailbox", "launch", launch, L1_SIZE - 4, true)           /**/
    KEY("mailbox", "launch_size", launch_size, 4096, true)        /**/
    KEY("mailbox", "launch_count", launch_count, 64, true)        /**/
    KEY("mailbox", "go", go, L1_SIZE - 4, true)                   /**/
    KEY("mailbox", "go_count", go_count, 64, true)                /**/
    KEY("mailbox", "go_index", go_index, L1_SIZE - 4, true)       /**/
    KEY("mailbox", "logical_x", logical_x, L1_SIZE - 1, false)    /**/
    KEY("mailbox", "logical_y", logical_y, L1_SIZE - 1, false)    /**/
    KEY("kernel_config", "base", config_base, L1_SIZE - 16, true) /**/
    KEY("kernel_config", "size", config_size, L1_SIZE, true)      /**/
    KEY("kernel_config", "circular_buffers", cb_count, 64, true)  /**/
    KEY("kernel_config", "cb_streams", cb_streams, 63, false)     /**/
    KEY("kernel_config", "free_l1", free_l1, L1_SIZE - 16, true)  /**/
    KEY("tables", "banks", bank_table, L1_SIZE - 4, true)         /**/
    KEY("tables", "dram_banks", dram_banks, 8, true)              /**/
    KEY("tables", "l1_banks", l1_banks, 140, true)                /**/
    KEY("tables", "logical_to_virtual", logical_table, L1_SIZE - 4, false)
#undef KEY
};
#define NUMBER_KEYS (sizeof number_keys / sizeof *number_keys)

static const struct field_key {
    const char *name;
    uint8_t most;
    bool required;
} field_keys[MESSAGE_FIELD_COUNT] = {
#define F(id, name, most, required) { name, most, required },
    MESSAGE_FIELDS(F)
#undef F
};

static const char *const sections[] = {
    "mailbox", "firmware", "kernel_config", "tables", "message", "constants", NULL
};
enum { MAILBOX, FIRMWARE, KERNEL_CONFIG, TABLES, MESSAGE, CONSTANTS, NO_SECTION };

struct parser {
    struct ini *ini;
    struct layout *layout;
    unsigned section;
    bool seen_number[NUMBER_KEYS], seen_field[MESSAGE_FIELD_COUNT], seen_core[BH_CORE_COUNT];
};

static bool once(struct parser *p, bool *seen) {
    if (*seen)
        return ini_error(p->ini, "'%.*s' has been said before", SPAN(p->ini->key));
    return *seen = true;
}

static bool unknown_key(struct parser *p) {
    const char *names[NUMBER_KEYS + MESSAGE_FIELD_COUNT + 1] = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < NUMBER_KEYS; i++)
        if (strcmp(number_keys[i].section, sections[p->section]) == 0)
            names[count++] = number_keys[i].name;
    for (size_t i = 0; p->section == MESSAGE && i < MESSAGE_FIELD_COUNT; i++)
        names[count++] = field_keys[i].name;
    return ini_unknown(p->ini, "key", p->ini->key, names);
}

static bool take_number(struct parser *p, struct span *rest, uint32_t max, uint32_t *value) {
    struct span word;
    uint64_t number;
    if (!span_word(rest, &word))
        return ini_error(p->ini, "a number is missing at the end of the line");
    if (!span_number(word, max, &number))
        return ini_error(p->ini, "'%.*s' is not a number from 0 to 0x%x", SPAN(word), max);
    *value = (uint32_t)number;
    return true;
}

static bool line_ends(struct parser *p, struct span rest) {
    struct span word;
    return !span_word(&rest, &word) || ini_error(p->ini, "unexpected '%.*s'", SPAN(word));
}

static bool number_line(struct parser *p) {
    for (size_t i = 0; i < NUMBER_KEYS; i++) {
        const struct number_key *key = &number_keys[i];
        if (strcmp(key->section, sections[p->section]) != 0 || !span_is(p->ini->key, key->name))
            continue;
        uint32_t *value = (uint32_t *)(void *)((char *)p->layout + key->at);
        struct span rest = p->ini->value;
        return once(p, &p->seen_number[i]) && take_number(p, &rest, key->max, value) && line_ends(p, rest);
    }
    return unknown_key(p);
}

/* Parses CORE = FIRMWARE STAGING. */
static bool firmware_line(struct parser *p) {
    enum bh_core core;
    struct span rest = p->ini->value;
    if (!parse_core(p->ini->key, &core) ||
        !span_is(p->ini->key, bh_core_name(core))) /* erisc0 is none of a Tensix tile */
        return ini_error(p->ini, "'%.*s' is not a core: brisc, ncrisc, trisc0, trisc1 or trisc2", SPAN(p->ini->key));
    return once(p, &p->seen_core[core]) && take_number(p, &rest, L1_SIZE - 4, &p->layout->firmware[core]) &&
           take_number(p, &rest, L1_SIZE - 4, &p->layout->staging[core]) && line_ends(p, rest);
}

static bool take_width(struct parser *p, struct span *rest, struct message_field *field) {
    static const char *const types[] = { "u8", "u16", "u32", "u64" };
    struct span word = { "", 0 };
    span_word(rest, &word);
    for (unsigned i = 0; i < 4; i++) {
        if (span_is(word, types[i])) {
            field->width = (uint8_t)(1u << i);
            return true;
        }
    }
    return ini_error(p->ini, "a type is u8, u16, u32 or u64, not '%.*s'", SPAN(word));
}

/* Parses OFFSET TYPE [COUNT [STRIDE]]. */
static bool take_field(struct parser *p, struct span *rest, uint32_t most, struct message_field *field) {
    uint32_t offset = 0, count = 1, stride;
    if (!take_number(p, rest, 4095, &offset) || !take_width(p, rest, field))
        return false;
    if (most && span_trim(*rest).n && !take_number(p, rest, most, &count))
        return false;
    stride = field->width;
    if (most && span_trim(*rest).n && !take_number(p, rest, 64, &stride))
        return false;
    if (count == 0 || stride < field->width)
        return ini_error(p->ini, "items overlap, or there are none");
    field->offset = (uint16_t)offset;
    field->count = (uint8_t)count;
    field->stride = (uint8_t)stride;
    return true;
}

static bool message_line(struct parser *p) {
    for (unsigned i = 0; i < MESSAGE_FIELD_COUNT; i++) {
        struct span rest = p->ini->value;
        if (span_is(p->ini->key, field_keys[i].name))
            return once(p, &p->seen_field[i]) && take_field(p, &rest, field_keys[i].most, &p->layout->message[i]) &&
                   line_ends(p, rest);
    }
    return unknown_key(p);
}

/* Parses ANY_NAME = OFFSET TYPE VALUE. */
static bool constant_line(struct parser *p) {
    struct message_constant constant = { 0 };
    struct span rest = p->ini->value;
    if (!take_field(p, &rest, 0, &constant.field) || !take_number(p, &rest, UINT32_MAX, &constant.value) ||
        !line_ends(p, rest))
        return false;
    if (p->layout->constant_count == CONSTANTS_MAX)
        return ini_error(p->ini, "more than %d constants", CONSTANTS_MAX);
    p->layout->constants[p->layout->constant_count++] = constant;
    return true;
}

static bool section_line(struct parser *p) {
    p->section = 0;
    while (sections[p->section] && !span_is(p->ini->key, sections[p->section]))
        p->section++;
    if (sections[p->section] && p->ini->value.n)
        return ini_error(p->ini, "section [%s] takes no name", sections[p->section]);
    return p->section != NO_SECTION || p->ini->key.n == 0 || ini_unknown(p->ini, "section", p->ini->key, sections);
}

static void line(struct parser *p) {
    switch (p->section) {
    case FIRMWARE: firmware_line(p); break;
    case MESSAGE: message_line(p); break;
    case CONSTANTS: constant_line(p); break;
    case NO_SECTION: break;
    default: number_line(p);
    }
}

static bool fits(const struct layout *layout, const struct message_field *field) {
    return field->width == 0 ||
           field->offset + field->stride * (field->count - 1u) + field->width <= layout->launch_size;
}

/* Reports missing keys, and values that do not fit together. These errors have no line of their own: they get the last
 * line. */
static void check_whole(struct parser *p) {
    for (size_t i = 0; i < NUMBER_KEYS; i++)
        if (number_keys[i].required && !p->seen_number[i])
            ini_error(p->ini, "[%s] has no '%s'", number_keys[i].section, number_keys[i].name);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (!p->seen_core[i])
            ini_error(p->ini, "[firmware] has no '%s'", bh_core_name((enum bh_core)i));
    for (unsigned i = 0; i < MESSAGE_FIELD_COUNT; i++) {
        if (field_keys[i].required && !p->seen_field[i])
            ini_error(p->ini, "[message] has no '%s'", field_keys[i].name);
        if (!fits(p->layout, &p->layout->message[i]))
            ini_error(p->ini, "'%s' is outside of the launch message", field_keys[i].name);
    }
    for (unsigned i = 0; i < p->layout->constant_count; i++)
        if (!fits(p->layout, &p->layout->constants[i].field))
            ini_error(p->ini, "constant %u is outside of the launch message", i + 1);
}

static void check_spans(struct parser *p) {
    const struct layout *l = p->layout;
    if (l->launch_size * l->launch_count > L1_SIZE - l->launch || l->go_count * 4 > L1_SIZE - l->go)
        ini_error(p->ini, "the messages do not fit into L1");
    if (l->launch_count == 0 || l->go_count == 0)
        ini_error(p->ini, "there is no message at all");
    if (l->config_size > L1_SIZE - l->config_base)
        ini_error(p->ini, "the kernel configuration does not fit into L1");
    if (l->config_base % 16)
        ini_error(p->ini, "the kernel configuration is not aligned to 16 bytes");
    if (l->cb_streams + l->cb_count > 64)
        ini_error(p->ini, "there are not so many streams for circular buffers");
    if ((l->logical_x != 0) != (l->logical_y != 0))
        ini_error(p->ini, "logical_x and logical_y go together");
}

bool layout_parse(struct ini *ini, const char *text, size_t size, struct layout *layout) {
    struct parser p = { .ini = ini, .layout = layout, .section = NO_SECTION };
    bool said = false;
    *layout = (struct layout){ 0 };
    ini_init(ini, text, size);
    while (ini_next(ini)) {
        if (!ini->is_section && p.section == NO_SECTION && !said)
            said = !ini_error(ini, "'%.*s' stands in no section", SPAN(ini->key));
        else if (ini->is_section)
            said = !section_line(&p);
        else
            line(&p);
    }
    ini_sort_errors(ini);
    if (ini->error_count == 0)
        check_whole(&p);
    if (ini->error_count == 0)
        check_spans(&p);
    return ini->error_count == 0;
}

bool layout_for_check(const struct layout *l, struct bh_check_firmware *f) {
    const struct message_field *base = &l->message[MESSAGE_CONFIG_BASE], *offset = &l->message[MESSAGE_CB_OFFSET];
    const struct message_field *mask = &l->message[MESSAGE_CB_MASK];
    *f = (struct bh_check_firmware){
        .sync = l->sync,
        .sync_count = PROCESSORS - 1,
        .go = l->go,
        .go_count = l->go_count,
        .launch = l->launch,
        .launch_size = l->launch_size,
        .launch_count = l->launch_count,
        .launch_index = l->rd_ptr,
        .config_base = base->offset,
        .cb_offset = offset->offset,
        .cb_mask = mask->offset,
        .cb_mask_size = mask->width,
        .cb_count = l->cb_count,
        .cb_stream = l->cb_streams,
    };
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        f->start[core] = l->firmware[core];
    return base->width == 4 && offset->width == 2 && l->launch_count;
}
