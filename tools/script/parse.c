/* Parses the words that the command line and command files share: boards, tiles, cores, addresses. See script.h. */
#include "script/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fail(struct parse_error *error, const char *what, struct span word) {
    snprintf(error->text, sizeof error->text, "%s '%.*s'", what, SPAN(word));
    return false;
}

bool parse_board(struct span s, struct settings *settings, struct parse_error *error) {
    settings->has_board = span_is(s, "p150") || span_is(s, "p100a");
    if (!settings->has_board)
        return fail(error, "board must be p150 or p100a, not", s);
    settings->board = span_is(s, "p150") ? BH_BOARD_P150 : BH_BOARD_P100A;
    return true;
}

bool parse_timing(struct span s, struct settings *settings, struct parse_error *error) {
    settings->has_timing = span_is(s, "cycles") || span_is(s, "loose");
    if (!settings->has_timing)
        return fail(error, "timing must be cycles or loose, not", s);
    settings->timing = span_is(s, "loose") ? BH_TIMING_LOOSE : BH_TIMING_CYCLES;
    return true;
}

static bool parse_xy(struct span s, struct bh_xy *xy) {
    struct span x;
    uint64_t vx, vy;
    if (!span_cut(&s, ',', &x) || !span_number(x, UINT8_MAX, &vx) || !span_number(s, UINT8_MAX, &vy))
        return false;
    *xy = (struct bh_xy){ (uint8_t)vx, (uint8_t)vy };
    return true;
}

static bool parse_range(struct span s, struct tile_range *range) {
    struct span low;
    *range = (struct tile_range){ .all = span_is(s, "all") };
    if (range->all)
        return true;
    if (!span_cut(&s, '-', &low)) {
        bool ok = parse_xy(s, &range->low);
        range->high = range->low;
        return ok;
    }
    return parse_xy(low, &range->low) && parse_xy(s, &range->high) && range->low.x <= range->high.x &&
           range->low.y <= range->high.y;
}

bool parse_tiles(struct span s, struct tile_list *tiles, struct parse_error *error) {
    struct tile_range range;
    if (!parse_range(s, &range))
        return fail(error, "tiles must be X,Y or X,Y-X,Y or all, not", s);
    if (tiles->count == TILES_MAX)
        return fail(error, "too many tile ranges; use X,Y-X,Y or all instead of", s);
    tiles->range[tiles->count++] = range;
    return true;
}

static bool parse_setting(struct span s, uint64_t max, unsigned *value, bool *has, struct parse_error *error) {
    uint64_t n;
    if (!span_number(s, max, &n) || n == 0) {
        snprintf(error->text, sizeof error->text, "'%.*s' is not a number from 1 to %llu", SPAN(s),
                 (unsigned long long)max);
        return false;
    }
    *value = (unsigned)n;
    *has = true;
    return true;
}

bool parse_threads(struct span s, struct settings *settings, struct parse_error *error) {
    return parse_setting(s, BH_THREADS_MAX, &settings->threads, &settings->has_threads, error);
}

bool parse_skew(struct span s, struct settings *settings, struct parse_error *error) {
    return parse_setting(s, BH_SKEW_MAX, &settings->skew, &settings->has_skew, error);
}

bool parse_cycles(struct span s, uint64_t *cycles, struct parse_error *error) {
    if (span_count(s, cycles) && *cycles)
        return true;
    snprintf(error->text, sizeof error->text, "'%.*s' is not a number of cycles", SPAN(s));
    return false;
}

bool parse_chip(struct span s, unsigned *chip, struct parse_error *error) {
    uint64_t number;
    if (!span_number(s, BH_SYSTEM_CHIPS - 1, &number))
        return fail(error, "the number of a chip is a number from 0 on, not", s);
    *chip = (unsigned)number;
    return true;
}

bool parse_core(struct span s, enum bh_core *core) {
    if (span_is(s, "erisc0") || span_is(s, "erisc1")) {
        *core = span_is(s, "erisc0") ? BH_ERISC0 : BH_ERISC1;
        return true;
    }
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        if (span_is(s, bh_core_name((enum bh_core)i))) {
            *core = (enum bh_core)i;
            return true;
        }
    }
    return false;
}

bool parse_cores(struct span s, unsigned *cores, struct parse_error *error) {
    *cores = span_is(s, "all") ? BH_ALL_CORES : 0;
    if (*cores || span_is(s, "none"))
        return true;
    struct span rest = s, word;
    for (bool more = true; more;) {
        enum bh_core core;
        more = span_cut(&rest, ',', &word);
        if (!parse_core(more ? word : rest, &core))
            return fail(error, "cores are brisc, trisc0, trisc1, trisc2, ncrisc, all or none, not", more ? word : rest);
        *cores |= 1u << core;
    }
    return true;
}

static bool is_symbol_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$';
}

static bool parse_address(struct span s, struct guest_address *address, struct parse_error *error) {
    *address = (struct guest_address){ 0 };
    if (span_number(s, UINT64_MAX, &address->offset))
        return true;
    struct span symbol = s, offset = s;
    if (span_cut(&offset, '+', &symbol) && !span_number(offset, UINT32_MAX, &address->offset))
        return fail(error, "an address is a number or SYMBOL or SYMBOL+NUMBER, not", s);
    if (symbol.n == 0 || (symbol.p[0] >= '0' && symbol.p[0] <= '9'))
        return fail(error, "an address is a number or SYMBOL or SYMBOL+NUMBER, not", s);
    for (size_t i = 0; i < symbol.n; i++)
        if (!is_symbol_char(symbol.p[i]))
            return fail(error, "an address is a number or SYMBOL or SYMBOL+NUMBER, not", s);
    address->symbol = symbol;
    return true;
}

/* Takes "TILES:" off the front of *s, if it is there. */
static bool take_tiles(struct span *s, struct tile_list *tiles, struct parse_error *error) {
    struct span rest = *s, head;
    if (!span_cut(&rest, ':', &head) || (!span_is(head, "all") && !(head.n && memchr(head.p, ',', head.n))))
        return true;
    tiles->count = 0;
    *s = rest;
    return parse_tiles(head, tiles, error);
}

bool parse_tile_address(struct span s, struct tile_list *tiles, struct guest_address *address,
                        struct parse_error *error) {
    return take_tiles(&s, tiles, error) && parse_address(s, address, error);
}

/* ---- State of the coprocessor ----------------------------------------------------------------- */

const char *const inside_names[INSIDE_COUNT + 1] = { "", "wait", "adc", "rwc", "mop", "replay", "srca", "srcb", NULL };

/* Takes "Tn." or "tensix." off the front of *s. *threads becomes a mask of threads: 0 if there is no such thread.
 * Returns false if the text begins otherwise. */
static bool take_threads(struct span *s, unsigned *threads) {
    struct span what = *s, who;
    if (!span_cut(&what, '.', &who))
        return false;
    bool all = span_is(who, "tensix"), one = who.n == 2 && who.p[0] == 'T' && who.p[1] >= '0' && who.p[1] <= '9';
    *threads = all ? (1u << BH_THREADS) - 1 : 0;
    if (one && who.p[1] < '0' + BH_THREADS)
        *threads = 1u << (who.p[1] - '0');
    *s = what;
    return all || one;
}

static bool parse_inside(struct span s, unsigned threads, struct span what, struct action *action,
                         struct parse_error *error) {
    bool all = threads & (threads - 1);
    for (unsigned i = INSIDE_NOTHING + 1; i < INSIDE_COUNT; i++) {
        bool shared = inside_is_shared((enum inside_what)i);
        if (!threads || !span_is(what, inside_names[i]) || (shared && !all))
            continue;
        action->inside = (enum inside_what)i;
        action->threads = shared ? 1 : threads;
        return true;
    }
    return fail(error,
                "of the coprocessor there are .wait, .adc, .rwc, .mop and .replay of T0, T1, T2 or tensix (all three), "
                "tensix.srca and tensix.srcb, not",
                s);
}

/* Parses the text after the tiles: an address, or a name for state of the coprocessor. */
static bool parse_subject(struct span s, struct action *action, struct parse_error *error) {
    struct span what = s;
    unsigned threads;
    if (take_threads(&what, &threads))
        return parse_inside(s, threads, what, action, error);
    return parse_address(s, &action->address, error);
}

bool parse_dumped(struct span s, struct action *action, struct parse_error *error) {
    return take_tiles(&s, &action->tiles, error) && parse_subject(s, action, error);
}

/* ---- Writes and dumps ------------------------------------------------------------------------- */

/* Parses a list WORD,WORD,... . Returns false without a message if the text is not a list of numbers. */
static bool parse_words(struct span s, struct action *action) {
    size_t count = 1;
    for (size_t i = 0; i < s.n; i++)
        count += s.p[i] == ',';
    action->words = malloc(count * sizeof *action->words);
    action->word_count = count;
    struct span rest = s, word;
    for (size_t i = 0; i < count && action->words; i++) {
        uint64_t value;
        if (!span_cut(&rest, ',', &word))
            word = rest;
        if (!span_number(word, UINT32_MAX, &value))
            break;
        action->words[i] = (uint32_t)value;
        if (i + 1 == count)
            return true;
    }
    free(action->words);
    action->words = NULL;
    action->word_count = 0;
    return false;
}

bool parse_write(struct span s, struct action *action, struct parse_error *error) {
    struct span value = s, address;
    if (!span_cut(&value, '=', &address) || value.n == 0)
        return fail(error, "a write is X,Y:ADDR=FILE or X,Y:ADDR=WORD,WORD..., not", s);
    if (!parse_tile_address(address, &action->tiles, &action->address, error))
        return false;
    if (!parse_words(value, action))
        action->file = value;
    return true;
}

bool parse_dump(struct span s, struct action *action, struct parse_error *error) {
    struct span rest = s, address, length;
    if (!take_tiles(&rest, &action->tiles, error))
        return false;
    bool has_length = span_cut(&rest, ':', &address);
    if (!parse_subject(has_length ? address : rest, action, error))
        return false;
    if (action->inside)
        return !has_length || fail(error, "state of the coprocessor has neither length nor file:", s);
    if (!has_length) {
        if (action->address.symbol.n)
            return true;
        return fail(error, "a dump is X,Y:ADDR:LEN[:FILE] or X,Y:SYMBOL, not", s);
    }
    bool has_file = span_cut(&rest, ':', &length);
    if (!span_number(has_file ? length : rest, UINT32_MAX, &action->number) || action->number == 0)
        return fail(error, "the length of a dump must be a number of bytes from 1 to 4294967295, not",
                    has_file ? length : rest);
    if (has_file && rest.n == 0)
        return fail(error, "the file is missing at the end of", s);
    if (has_file)
        action->file = rest;
    return true;
}
