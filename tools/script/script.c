/* Parses command files: one action in each line, words separated by blanks, '#' begins a comment, "..." is one word.
 * See script.h; docs/bhemu.1 has the grammar for users. */
#include "script/script.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct span line; /* the part of the line that is not parsed yet */
    struct script *script;
    struct parse_error *error;
    struct tile_list tiles; /* tiles for commands that name none */
    unsigned chip;          /* the chip that commands are about */
    bool acted;             /* a command other than a setting has been seen */
    bool open_quote;        /* the last word began with '"' and has no other */
};

static bool fail(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct parser *p, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(p->error->text, sizeof p->error->text, format, list);
    va_end(list);
    return false;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Takes the next word off the line. Returns false at the end of the line. A word that begins with '"' ends at the next
 * '"', or else at the end of the line; p->open_quote is set then. */
static bool next_word(struct parser *p, struct span *word) {
    struct span *line = &p->line;
    while (line->n && is_blank(*line->p)) {
        line->p++;
        line->n--;
    }
    if (line->n == 0 || *line->p == '#')
        return false;
    bool quoted = *line->p == '"';
    size_t n = quoted;
    while (n < line->n && (quoted ? line->p[n] != '"' : !is_blank(line->p[n])))
        n++;
    *word = (struct span){ line->p + quoted, n - quoted };
    p->open_quote = quoted && n == line->n;
    n += quoted && !p->open_quote;
    line->p += n;
    line->n -= n;
    return true;
}

static bool need_word(struct parser *p, const char *what, struct span *word) {
    return next_word(p, word) || fail(p, "%s is missing at the end of the line", what);
}

static bool line_ends(struct parser *p) {
    struct span word;
    if (p->open_quote)
        return fail(p, "'\"' is missing at the end of the line");
    return !next_word(p, &word) || fail(p, "unexpected '%.*s'", SPAN(word));
}

bool script_add(struct script *script, const struct action *action, struct parse_error *error) {
    size_t n = script->count;
    if ((n & (n - 1)) == 0) {
        struct action *larger = realloc(script->actions, (n ? n * 2 : 1) * sizeof *larger);
        if (!larger) {
            snprintf(error->text, sizeof error->text, "out of memory");
            return false;
        }
        script->actions = larger;
    }
    script->actions[script->count++] = *action;
    return true;
}

/* Parses "= WORD...": the rest of the line consists of 32-bit words. */
static bool take_words(struct parser *p, struct action *action) {
    struct span word;
    uint64_t value;
    size_t capacity = 0;
    while (next_word(p, &word)) {
        if (!span_number(word, UINT32_MAX, &value))
            return fail(p, "'%.*s' is not a 32-bit number", SPAN(word));
        if (action->word_count == capacity) {
            capacity = capacity ? capacity * 2 : 8;
            uint32_t *larger = realloc(action->words, capacity * sizeof *larger);
            if (!larger)
                return fail(p, "out of memory");
            action->words = larger;
        }
        action->words[action->word_count++] = (uint32_t)value;
    }
    return action->word_count || fail(p, "a word is missing after '='");
}

static bool do_board(struct parser *p, struct action *action) {
    struct span word;
    (void)action;
    return need_word(p, "the board", &word) && parse_board(word, &p->script->settings, p->error);
}

static bool do_timing(struct parser *p, struct action *action) {
    struct span word;
    (void)action;
    return need_word(p, "the timing", &word) && parse_timing(word, &p->script->settings, p->error);
}

static bool do_threads(struct parser *p, struct action *action) {
    struct span word;
    (void)action;
    return need_word(p, "a number", &word) && parse_threads(word, &p->script->settings, p->error);
}

static bool do_skew(struct parser *p, struct action *action) {
    struct span word;
    (void)action;
    return need_word(p, "a number", &word) && parse_skew(word, &p->script->settings, p->error);
}

static bool do_tile(struct parser *p, struct action *action) {
    struct span word;
    (void)action;
    p->tiles.count = 0;
    while (next_word(p, &word))
        if (!parse_tiles(word, &p->tiles, p->error))
            return false;
    return p->tiles.count || fail(p, "the tiles are missing at the end of the line");
}

static bool do_chip(struct parser *p, struct action *action) {
    struct span word;
    (void)action;
    p->tiles.count = 0;
    return need_word(p, "the number of a chip", &word) && parse_chip(word, &p->chip, p->error);
}

static bool take_core(struct parser *p, struct action *action) {
    enum bh_core core;
    if (!need_word(p, "the core", &action->core))
        return false;
    if (!parse_core(action->core, &core))
        return fail(p, "'%.*s' is not a core: brisc, trisc0, trisc1, trisc2 or ncrisc", SPAN(action->core));
    action->cores = 1u << core;
    return true;
}

static bool do_load(struct parser *p, struct action *action) {
    return take_core(p, action) && need_word(p, "the file", &action->file);
}

static bool do_write(struct parser *p, struct action *action) {
    struct span word;
    if (!need_word(p, "the address", &word) || !parse_tile_address(word, &action->tiles, &action->address, p->error) ||
        !need_word(p, "'=' or a file", &word))
        return false;
    if (span_is(word, "="))
        return take_words(p, action);
    action->file = word;
    return true;
}

static bool take_cores(struct parser *p, struct action *action) {
    struct span word;
    while (next_word(p, &word)) {
        unsigned cores;
        if (!parse_cores(word, &cores, p->error))
            return false;
        action->cores |= cores;
    }
    return action->cores || fail(p, "the cores are missing at the end of the line");
}

static bool do_run(struct parser *p, struct action *action) {
    struct span word;
    if (!next_word(p, &word))
        return true;
    if (!span_count(word, &action->number) || action->number == 0)
        return fail(p, "'%.*s' is not a number of cycles", SPAN(word));
    return true;
}

static bool do_dump(struct parser *p, struct action *action) {
    struct span word;
    if (!need_word(p, "the address", &word) || !parse_dumped(word, action, p->error))
        return false;
    if (action->inside)
        return true;
    if (!next_word(p, &word))
        return action->address.symbol.n || fail(p, "the number of bytes is missing at the end of the line");
    if (!span_number(word, UINT32_MAX, &action->number) || action->number == 0)
        return fail(p, "'%.*s' is not a number of bytes", SPAN(word));
    next_word(p, &action->file);
    return true;
}

static bool do_print(struct parser *p, struct action *action) {
    struct span word;
    return need_word(p, "the address", &word) && parse_tile_address(word, &action->tiles, &action->address, p->error);
}

static bool parse_state(struct span s, unsigned *state) {
    static const char *const names[] = { "reset", "running", "polling", "blocked", "paused", "faulted" };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (span_is(s, names[i])) {
            *state = i;
            return true;
        }
    }
    return false;
}

static bool parse_register(struct span s, unsigned *reg) {
    static const char *const abi[32] = { "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                         "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                         "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6" };
    struct span number = { s.p + 1, s.n - 1 };
    uint64_t value;
    if (span_is(s, "pc")) {
        *reg = BH_REG_PC;
        return true;
    }
    for (unsigned i = 0; i < 32; i++) {
        if (span_is(s, abi[i])) {
            *reg = BH_REG_X0 + i;
            return true;
        }
    }
    if (s.n < 2 || (s.p[0] != 'x' && s.p[0] != 'f') || !span_number(number, 31, &value))
        return false;
    *reg = (s.p[0] == 'x' ? BH_REG_X0 : BH_REG_F0) + (unsigned)value;
    return true;
}

/* Parses "expect CORE STATE" and "expect CORE REGISTER = WORD". */
static bool expect_core(struct parser *p, struct action *action) {
    struct span word;
    if (!need_word(p, "a state or register", &word))
        return false;
    if (parse_state(word, &action->state)) {
        action->kind = ACTION_EXPECT_STATE;
        return true;
    }
    action->name = word;
    action->kind = ACTION_EXPECT_REGISTER;
    if (!parse_register(word, &action->reg))
        return fail(p, "'%.*s' is neither a core's state (reset running polling blocked paused faulted) nor a register",
                    SPAN(word));
    if (!need_word(p, "'='", &word))
        return false;
    if (!span_is(word, "="))
        return fail(p, "'=' expected, not '%.*s'", SPAN(word));
    if (!take_words(p, action))
        return false;
    return action->word_count == 1 || fail(p, "a register has one word");
}

/* Parses "expect PLACE = WORD..." and "expect PLACE "text"", and hands those about a core to expect_core. */
static bool do_expect(struct parser *p, struct action *action) {
    struct span word;
    enum bh_core core;
    if (!need_word(p, "a core or an address", &word))
        return false;
    if (parse_core(word, &core)) {
        action->core = word;
        action->cores = 1u << core;
        return expect_core(p, action);
    }
    action->kind = ACTION_EXPECT_MEMORY;
    if (!parse_tile_address(word, &action->tiles, &action->address, p->error) || !need_word(p, "'=' or a text", &word))
        return false;
    if (span_is(word, "="))
        return take_words(p, action);
    action->kind = ACTION_EXPECT_TEXT;
    action->file = word;
    return true;
}

static const struct verb {
    const char *name;
    bool (*parse)(struct parser *p, struct action *action);
    bool setting; /* the command changes the parser or the settings, and adds no action */
    enum action_kind kind;
} verbs[] = {
    { "board", do_board, true, 0 },
    { "timing", do_timing, true, 0 },
    { "threads", do_threads, true, 0 },
    { "skew", do_skew, true, 0 },
    { "chip", do_chip, true, 0 },
    { "tile", do_tile, true, 0 },
    { "load", do_load, false, ACTION_LOAD },
    { "write", do_write, false, ACTION_WRITE },
    { "release", take_cores, false, ACTION_RELEASE },
    { "hold", take_cores, false, ACTION_HOLD },
    { "run", do_run, false, ACTION_RUN },
    { "expect", do_expect, false, ACTION_EXPECT_MEMORY },
    { "dump", do_dump, false, ACTION_DUMP },
    { "print", do_print, false, ACTION_PRINT },
};
#define VERB_COUNT (sizeof verbs / sizeof *verbs)
#define CHIP_VERBS 4 /* number of rows at the beginning of the table that configure the chip */

static bool unknown_verb(struct parser *p, struct span word) {
    const char *names[VERB_COUNT + 1] = { 0 };
    for (size_t i = 0; i < VERB_COUNT; i++)
        names[i] = verbs[i].name;
    const char *near = closest(word, names);
    if (near)
        return fail(p, "unknown command '%.*s'; did you mean '%s'?", SPAN(word), near);
    return fail(p, "unknown command '%.*s'", SPAN(word));
}

static bool parse_line(struct parser *p) {
    struct span word;
    if (!next_word(p, &word))
        return true;
    const struct verb *verb = verbs;
    while (verb < verbs + VERB_COUNT && !span_is(word, verb->name))
        verb++;
    if (verb == verbs + VERB_COUNT)
        return unknown_verb(p, word);
    if (p->acted && verb < verbs + CHIP_VERBS)
        return fail(p, "'%s' must stand before the first command that acts", verb->name);
    struct action action = { .kind = verb->kind, .line = p->error->line, .tiles = p->tiles, .chip = p->chip };
    bool ok = verb->parse(p, &action) && line_ends(p);
    if (verb->setting)
        return ok;
    p->acted = true;
    ok = ok && script_add(p->script, &action, p->error);
    if (!ok)
        free(action.words);
    return ok;
}

bool script_parse(const char *text, size_t size, struct script *script, struct parse_error *error) {
    *script = (struct script){ 0 };
    *error = (struct parse_error){ 0 };
    struct parser p = { .script = script, .error = error };
    struct span rest = { text, size };
    for (bool more = true; more;) {
        more = span_cut(&rest, '\n', &p.line);
        if (!more)
            p.line = rest;
        error->line++;
        if (!parse_line(&p)) {
            script_free(script);
            return false;
        }
    }
    return true;
}

void script_free(struct script *script) {
    for (size_t i = 0; i < script->count; i++)
        free(script->actions[i].words);
    free(script->actions);
    *script = (struct script){ 0 };
}
