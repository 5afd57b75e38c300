/* Parses launch files: see launch.h. A table lists the keys of every section; a section is one step. */
#include "launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/addresses.h"

#define KEYS_MAX 32

const char *const launch_tile_names[] = { "index", "count", "x", "y", "logical_x", "logical_y", NULL };

struct parser {
    struct ini *ini;
    struct launch *launch;
    struct step step;    /* the open section */
    unsigned section;    /* index into sections, or SECTION_COUNT */
    unsigned seen;       /* bits for the keys that the open section has had */
    bool headless;       /* the first line of the section is wrong: missing keys are not reported */
    bool chip, firmware; /* there has been such a section */
};

typedef bool key_parser(struct parser *p);

struct key {
    const char *name; /* NULL ends the table */
    key_parser *parse;
};

static struct span value_of(const struct parser *p) {
    return p->ini->value;
}

static struct setting setting_of(const struct parser *p) {
    return (struct setting){ p->ini->value, p->ini->line };
}

/* Reports a mistake that a parser of words has found, with the current line. Returns ok. */
static bool pass_on(struct parser *p, bool ok, const struct parse_error *error) {
    return ok || ini_error(p->ini, "%s", error->text);
}

static bool take_tiles(struct parser *p, struct tile_list *tiles) {
    struct parse_error error;
    struct span rest = value_of(p), word;
    while (span_word(&rest, &word))
        if (!parse_tiles(word, tiles, &error))
            return pass_on(p, false, &error);
    return true;
}

static bool take_number(struct parser *p, uint64_t low, uint64_t high, uint64_t *value) {
    if (span_number(value_of(p), high, value) && *value >= low)
        return true;
    return ini_error(p->ini, "'%.*s' is not a number from %llu to %llu", SPAN(value_of(p)), (unsigned long long)low,
                     (unsigned long long)high);
}

/* ---- Expressions ------------------------------------------------------------------------------ */

/* Returns whether a name is known; names have no values yet while the file is parsed. */
static bool is_known(const void *user, struct span name, int64_t *value) {
    const struct parser *p = user;
    struct span member = name, buffer = name;
    *value = 1;
    for (const char *const *known = launch_tile_names; *known; known++)
        if (span_is(name, *known))
            return true;
    if (span_cut(&member, '.', &buffer) && !span_is(member, "size") && !span_is(member, "page") &&
        !span_is(member, "pages"))
        return false;
    return launch_find_buffer(p->launch, p->launch->count, buffer) < p->launch->count;
}

/* Checks a comma-separated list of `low` to `high` expressions. */
static bool check_list(struct parser *p, unsigned low, unsigned high, const char *what) {
    struct expr_scope scope = { .find = is_known, .user = p, .only_check = true };
    struct parse_error error;
    struct span rest = value_of(p), item;
    unsigned count = 0;
    for (bool more = true; more; count++) {
        int64_t value;
        more = span_cut(&rest, ',', &item);
        if (!more)
            item = rest;
        if (!expr_value(span_trim(item), &scope, &value, &error))
            return pass_on(p, false, &error);
    }
    return (count >= low && count <= high) || ini_error(p->ini, "%s", what);
}

/* ---- [chip] ----------------------------------------------------------------------------------- */

static bool chip_board(struct parser *p) {
    struct parse_error error;
    return pass_on(p, parse_board(value_of(p), &p->launch->settings, &error), &error);
}

static bool chip_timing(struct parser *p) {
    struct parse_error error;
    return pass_on(p, parse_timing(value_of(p), &p->launch->settings, &error), &error);
}

static bool chip_threads(struct parser *p) {
    struct parse_error error;
    return pass_on(p, parse_threads(value_of(p), &p->launch->settings, &error), &error);
}

static bool chip_skew(struct parser *p) {
    struct parse_error error;
    return pass_on(p, parse_skew(value_of(p), &p->launch->settings, &error), &error);
}

/* ---- [firmware] ------------------------------------------------------------------------------- */

static bool firmware_layout(struct parser *p) {
    p->step.firmware.layout = value_of(p);
    return true;
}

static bool firmware_directory(struct parser *p) {
    p->step.firmware.directory = value_of(p);
    return true;
}

static bool firmware_file(struct parser *p) {
    enum bh_core core = BH_BRISC;
    parse_core(p->ini->key, &core);
    p->step.firmware.file[core] = value_of(p);
    return true;
}

static bool firmware_tiles(struct parser *p) {
    return take_tiles(p, &p->step.firmware.tiles);
}

/* ---- [buffer NAME] ---------------------------------------------------------------------------- */

/* Parses dram, dram BANK, or l1. */
static bool buffer_in(struct parser *p) {
    struct launch_buffer *b = &p->step.buffer;
    struct span rest = value_of(p), word;
    uint64_t bank = 0;
    span_word(&rest, &word);
    rest = span_trim(rest);
    b->in_l1 = span_is(word, "l1");
    b->one_bank = !b->in_l1 && rest.n;
    if ((!b->in_l1 && !span_is(word, "dram")) || (b->in_l1 && rest.n) || (b->one_bank && !span_number(rest, 7, &bank)))
        return ini_error(p->ini, "a buffer is in 'dram', 'dram BANK' or 'l1', not '%.*s'", SPAN(value_of(p)));
    b->bank = (unsigned)bank;
    return true;
}

static bool buffer_tiles(struct parser *p) {
    return take_tiles(p, &p->step.buffer.tiles);
}

static bool buffer_address(struct parser *p) {
    p->step.buffer.has_address = true;
    return take_number(p, 0, UINT32_MAX, &p->step.buffer.address);
}

static bool buffer_size(struct parser *p) {
    return take_number(p, 1, UINT32_MAX, &p->step.buffer.size);
}

static bool buffer_page(struct parser *p) {
    uint64_t page = 0;
    bool ok = take_number(p, 1, 1u << 24, &page);
    p->step.buffer.page = (uint32_t)page;
    return ok;
}

static bool buffer_fill(struct parser *p) {
    return parse_fill(p->ini, value_of(p), &p->step.buffer.fill);
}

static void buffer_end(struct parser *p) {
    struct launch_buffer *b = &p->step.buffer;
    if (b->size == 0)
        ini_error_at(p->ini, p->step.line, "buffer '%.*s' has no size", SPAN(b->name));
    if (b->in_l1 && b->tiles.count == 0)
        ini_error_at(p->ini, p->step.line, "buffer '%.*s' is in L1: of which tiles?", SPAN(b->name));
    if (!b->in_l1 && b->tiles.count)
        ini_error_at(p->ini, p->step.line, "buffer '%.*s' is in DRAM, which belongs to no tile", SPAN(b->name));
    if (!b->in_l1 && !b->one_bank && b->page == 0)
        ini_error_at(p->ini, p->step.line, "buffer '%.*s' is dealt out over the banks of DRAM: in pages of what size?",
                     SPAN(b->name));
    if (!b->in_l1 && !b->one_bank && !p->firmware)
        ini_error_at(p->ini, p->step.line,
                     "[firmware], which says how many banks there are, must stand before buffer '%.*s'", SPAN(b->name));
    if (b->in_l1 && b->size > L1_SIZE)
        ini_error_at(p->ini, p->step.line, "buffer '%.*s' is larger than L1", SPAN(b->name));
}

/* ---- [program] -------------------------------------------------------------------------------- */

static bool program_tiles(struct parser *p) {
    return take_tiles(p, &p->step.program.tiles);
}

static unsigned processor_of(struct span name) {
    for (unsigned i = 0; i < PROCESSORS; i++)
        if (span_is(name, bh_core_name(processor_core[i])))
            return i;
    return PROCESSORS;
}

static bool program_kernel(struct parser *p) {
    p->step.program.kernel[processor_of(p->ini->key)] = setting_of(p);
    return true;
}

static bool put_args(struct parser *p, struct setting *of) {
    struct span rest = p->ini->key, core = rest;
    span_cut(&rest, '.', &core);
    if (!check_list(p, 1, 256, "more than 256 arguments"))
        return false;
    unsigned processor = processor_of(core); /* the key "trisc" stands for all three TRISCs */
    for (unsigned i = 0; i < PROCESSORS; i++)
        if (i == processor || (processor == PROCESSORS && i >= 2))
            of[i] = setting_of(p);
    return true;
}

static bool program_args(struct parser *p) {
    return put_args(p, p->step.program.args);
}

static bool program_common_args(struct parser *p) {
    return put_args(p, p->step.program.common_args);
}

static bool program_noc(struct parser *p) {
    uint64_t noc = 0;
    bool ok = take_number(p, 0, 1, &noc);
    p->step.program.noc = (unsigned)noc;
    return ok;
}

static bool program_noc_mode(struct parser *p) {
    p->step.program.dynamic_noc = span_is(value_of(p), "dynamic");
    return p->step.program.dynamic_noc || span_is(value_of(p), "dedicated") ||
           ini_error(p->ini, "noc_mode is 'dedicated' or 'dynamic', not '%.*s'", SPAN(value_of(p)));
}

/* Parses the number after the dot of a key like cb.16. */
static bool key_number(struct parser *p, unsigned end, struct setting *settings, unsigned *index) {
    struct span rest = p->ini->key, head;
    uint64_t n;
    span_cut(&rest, '.', &head);
    if (!span_number(rest, end - 1, &n))
        return ini_error(p->ini, "'%.*s' is not a number from 0 to %u", SPAN(rest), end - 1);
    *index = (unsigned)n;
    if (settings[n].text.n)
        return ini_error(p->ini, "'%.*s' has been said before", SPAN(p->ini->key));
    return true;
}

static bool program_cb(struct parser *p) {
    unsigned index = 0;
    if (!key_number(p, CB_MAX, p->step.program.cb, &index))
        return false;
    p->step.program.cb[index] = setting_of(p);
    return check_list(p, 2, 3, "a circular buffer is ADDRESS, SIZE, PAGE or SIZE, PAGE");
}

static bool program_semaphore(struct parser *p) {
    unsigned index = 0;
    if (!key_number(p, SEMAPHORE_MAX, p->step.program.semaphore, &index))
        return false;
    p->step.program.semaphore[index] = setting_of(p);
    return check_list(p, 1, 1, "a semaphore has one value");
}

static void program_end(struct parser *p) {
    struct launch_program *program = &p->step.program;
    unsigned kernels = 0, triscs = 0;
    for (unsigned i = 0; i < PROCESSORS; i++) {
        kernels += program->kernel[i].text.n != 0;
        triscs += i >= 2 && program->kernel[i].text.n;
    }
    if (program->tiles.count == 0)
        ini_error_at(p->ini, p->step.line, "the program has no tiles");
    if (kernels == 0)
        ini_error_at(p->ini, p->step.line, "the program has no kernel");
    if (triscs != 0 && triscs != 3)
        ini_error_at(p->ini, p->step.line,
                     "firmware starts the three TRISCs together: give all of them a kernel, or none");
    if (!p->firmware)
        ini_error_at(p->ini, p->step.line, "a program needs a [firmware] section before it");
}

/* ---- [run], [dump NAME], [expect NAME] -------------------------------------------------------- */

static bool run_cycles(struct parser *p) {
    return (span_count(value_of(p), &p->step.max_cycles) && p->step.max_cycles) ||
           ini_error(p->ini, "'%.*s' is not a number of cycles", SPAN(value_of(p)));
}

static bool dump_file(struct parser *p) {
    p->step.look.file = value_of(p);
    return true;
}

static bool expect_is(struct parser *p) {
    return parse_fill(p->ini, value_of(p), &p->step.look.fill);
}

static void expect_end(struct parser *p) {
    if (p->step.look.fill.kind == FILL_NONE)
        ini_error_at(p->ini, p->step.line, "say what is expected: is = file FILE, or the like");
}

/* ---- Sections --------------------------------------------------------------------------------- */

static const struct key chip_keys[] = {
    { "board", chip_board }, { "timing", chip_timing }, { "threads", chip_threads }, { "skew", chip_skew },
    { NULL, NULL },
};
static const struct key firmware_keys[] = {
    { "layout", firmware_layout }, { "directory", firmware_directory }, { "tiles", firmware_tiles },
    { "brisc", firmware_file },    { "ncrisc", firmware_file },         { "trisc0", firmware_file },
    { "trisc1", firmware_file },   { "trisc2", firmware_file },         { NULL, NULL },
};
static const struct key buffer_keys[] = {
    { "in", buffer_in },     { "tiles", buffer_tiles }, { "address", buffer_address },
    { "size", buffer_size }, { "page", buffer_page },   { "fill", buffer_fill },
    { NULL, NULL },
};
static const struct key program_keys[] = {
    { "tiles", program_tiles },
    { "brisc", program_kernel },
    { "ncrisc", program_kernel },
    { "trisc0", program_kernel },
    { "trisc1", program_kernel },
    { "trisc2", program_kernel },
    { "brisc.args", program_args },
    { "ncrisc.args", program_args },
    { "trisc.args", program_args },
    { "brisc.common_args", program_common_args },
    { "ncrisc.common_args", program_common_args },
    { "trisc.common_args", program_common_args },
    { "noc", program_noc },
    { "noc_mode", program_noc_mode },
    { "cb.", program_cb },
    { "semaphore.", program_semaphore },
    { NULL, NULL },
};
static const struct key run_keys[] = { { "max_cycles", run_cycles }, { NULL, NULL } };
static const struct key dump_keys[] = { { "file", dump_file }, { NULL, NULL } };
static const struct key expect_keys[] = { { "is", expect_is }, { NULL, NULL } };

enum { SECTION_CHIP, SECTION_FIRMWARE, SECTION_BUFFER, SECTION_DUMP = 5, SECTION_EXPECT, SECTION_COUNT };

static const struct section {
    const char *name;
    bool named; /* the section needs a name */
    enum step_kind kind;
    const struct key *keys;
    void (*end)(struct parser *p);
} sections[SECTION_COUNT] = {
    { "chip", false, STEP_RUN, chip_keys, NULL },
    { "firmware", false, STEP_FIRMWARE, firmware_keys, NULL },
    { "buffer", true, STEP_BUFFER, buffer_keys, buffer_end },
    { "program", false, STEP_PROGRAM, program_keys, program_end },
    { "run", false, STEP_RUN, run_keys, NULL },
    { "dump", true, STEP_DUMP, dump_keys, NULL },
    { "expect", true, STEP_EXPECT, expect_keys, expect_end },
};

size_t launch_find_buffer(const struct launch *launch, size_t count, struct span name) {
    size_t i = 0;
    while (i < count && (launch->steps[i].kind != STEP_BUFFER || !span_same(launch->steps[i].buffer.name, name)))
        i++;
    return i;
}

static void end_section(struct parser *p) {
    const struct section *section = p->section < SECTION_COUNT ? &sections[p->section] : NULL;
    size_t n = p->launch->count;
    p->section = SECTION_COUNT;
    if (section && section->end && !p->headless)
        section->end(p);
    if (!section || section == &sections[SECTION_CHIP])
        return;
    if ((n & (n - 1)) == 0) {
        struct step *larger = realloc(p->launch->steps, (n ? n * 2 : 1) * sizeof *larger);
        if (!larger) {
            ini_error(p->ini, "out of memory");
            return;
        }
        p->launch->steps = larger;
    }
    p->launch->steps[p->launch->count++] = p->step;
}

static bool is_reserved(struct span name) {
    for (const char *const *reserved = launch_tile_names; *reserved; reserved++)
        if (span_is(name, *reserved))
            return true;
    return false;
}

static bool named_section(struct parser *p, unsigned section) {
    struct span name = p->ini->value;
    size_t buffer = launch_find_buffer(p->launch, p->launch->count, name);
    if (!name.n)
        return ini_error(p->ini, "section [%s] needs the name of a buffer", sections[section].name);
    if (section == SECTION_BUFFER) {
        p->step.buffer.name = name;
        if (!is_name(name) || is_reserved(name))
            return ini_error(p->ini, "'%.*s' cannot be the name of a buffer", SPAN(name));
        return buffer == p->launch->count || ini_error(p->ini, "there is a buffer '%.*s' already", SPAN(name));
    }
    p->step.look.buffer = (unsigned)buffer;
    return buffer < p->launch->count || ini_error(p->ini, "there is no buffer '%.*s' before this line", SPAN(name));
}

static bool only_once(struct parser *p, unsigned section) {
    bool *seen = section == SECTION_CHIP ? &p->chip : &p->firmware;
    if (*seen)
        return ini_error(p->ini, "there is a section [%s] already", sections[section].name);
    if (section == SECTION_CHIP && p->launch->count)
        ini_error(p->ini, "[chip] must be the first section");
    return *seen = true;
}

static bool open_section(struct parser *p) {
    const char *names[SECTION_COUNT + 1] = { 0 };
    unsigned section = 0;
    while (section < SECTION_COUNT && !span_is(p->ini->key, sections[section].name))
        section++;
    if (p->ini->key.n == 0)
        return false;
    for (unsigned i = 0; i < SECTION_COUNT; i++)
        names[i] = sections[i].name;
    if (section == SECTION_COUNT)
        return ini_unknown(p->ini, "section", p->ini->key, names);
    p->step = (struct step){ .kind = sections[section].kind, .line = p->ini->line };
    p->seen = 0;
    p->section = section;
    if (sections[section].named)
        return named_section(p, section);
    if (p->ini->value.n)
        return ini_error(p->ini, "section [%s] takes no name", sections[section].name);
    return section > SECTION_FIRMWARE || only_once(p, section);
}

/* ---- Lines ------------------------------------------------------------------------------------ */

/* Returns whether a key matches a name; a name that ends with a dot stands for keys with a number after it. */
static bool key_matches(struct span key, const char *name) {
    size_t n = strlen(name);
    return name[n - 1] == '.' ? key.n >= n && memcmp(key.p, name, n) == 0 : span_is(key, name);
}

static bool line(struct parser *p) {
    const struct key *keys = sections[p->section].keys;
    const char *names[KEYS_MAX + 1] = { 0 };
    for (unsigned i = 0; keys[i].name; i++) {
        bool many = keys[i].name[strlen(keys[i].name) - 1] == '.';
        names[i] = keys[i].name;
        if (!key_matches(p->ini->key, keys[i].name))
            continue;
        if (!many && p->seen >> i & 1)
            return ini_error(p->ini, "'%.*s' has been said before", SPAN(p->ini->key));
        p->seen |= 1u << i;
        return keys[i].parse(p);
    }
    return ini_unknown(p->ini, "key", p->ini->key, names);
}

bool launch_parse(struct ini *ini, const char *text, size_t size, struct launch *launch) {
    struct parser p = { .ini = ini, .launch = launch, .section = SECTION_COUNT };
    bool skip = false; /* the lines of a malformed section are skipped */
    *launch = (struct launch){ 0 };
    ini_init(ini, text, size);
    while (ini_next(ini)) {
        if (ini->is_section) {
            end_section(&p);
            p.headless = !open_section(&p);
            skip = p.headless && p.section == SECTION_COUNT;
        } else if (p.section < SECTION_COUNT) {
            line(&p);
        } else if (!skip) {
            skip = !ini_error(ini, "'%.*s' stands in no section", SPAN(ini->key));
        }
    }
    end_section(&p);
    ini_sort_errors(ini);
    if (ini->error_count)
        launch_free(launch);
    return ini->error_count == 0;
}

void launch_free(struct launch *launch) {
    free(launch->steps);
    *launch = (struct launch){ 0 };
}
