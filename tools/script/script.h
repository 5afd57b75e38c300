/* The actions of a run as a list. A command file has one action in each line; `bhemu run` without a command file
 * makes the same list from its options. docs/bhemu.1 ("COMMAND FILES") has the grammar.
 *
 * Parsing uses nothing but the text: no files, no chip. Spans in actions point into the text, which must outlive
 * them. */
#ifndef TOOLS_SCRIPT_H
#define TOOLS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu.h"
#include "text/text.h"

#define TILES_MAX 32

/* A rectangle of tiles, including its corners; `all` is every live Tensix tile. */
struct tile_range {
    bool all;
    struct bh_xy low, high;
};

struct tile_list {
    unsigned count;
    struct tile_range range[TILES_MAX];
};

/* An address: a number, or a symbol of a loaded program and an offset. */
struct guest_address {
    struct span symbol; /* .n 0: a plain number */
    uint64_t offset;
};

/* State of the coprocessor that can be dumped: WHO.WHAT, where WHO is T0, T1, T2, or tensix for all three. State
 * that the threads share belongs to tensix only. The dot distinguishes these names from symbols of C programs. */
enum inside_what {
    INSIDE_NOTHING,
    INSIDE_WAIT,
    INSIDE_ADC,
    INSIDE_RWC,
    INSIDE_MOP,
    INSIDE_REPLAY,
    INSIDE_SRCA,
    INSIDE_SRCB,
    INSIDE_COUNT
};
/* "", "wait" ... "srcb", NULL */
extern const char *const inside_names[INSIDE_COUNT + 1];

static inline bool inside_is_shared(enum inside_what what) {
    return what >= INSIDE_SRCA;
}

enum action_kind {
    ACTION_LOAD,    /* cores <- file[@address] */
    ACTION_WRITE,   /* address <- words, or bytes of file */
    ACTION_RELEASE, /* cores */
    ACTION_HOLD,    /* cores */
    ACTION_RUN,     /* at most number cycles; 0: the limit of the command line */
    ACTION_EXPECT_MEMORY,
    ACTION_EXPECT_TEXT,
    ACTION_EXPECT_STATE,
    ACTION_EXPECT_REGISTER,
    ACTION_DUMP,  /* number bytes at address, to file or stdout; or state of the coprocessor */
    ACTION_PRINT, /* the text at address */
};

struct action {
    enum action_kind kind;
    unsigned line; /* in the command file; 0: from the command line */
    unsigned chip; /* of a system */
    struct tile_list tiles;
    struct guest_address address;
    unsigned cores;          /* a mask */
    unsigned state;          /* enum bh_core_state */
    unsigned reg;            /* enum bh_register */
    struct span name;        /* of the register, as written */
    struct span file;        /* file name or text; .n 0: none */
    uint64_t number;         /* cycles or bytes */
    enum inside_what inside; /* INSIDE_NOTHING: the action concerns address */
    unsigned threads;        /* a mask, for inside */
    uint32_t *words;
    size_t word_count;
};

struct settings {
    enum bh_board board;
    enum bh_timing timing;
    unsigned threads, skew;
    bool has_board, has_timing, has_threads, has_skew;
};

struct script {
    struct settings settings;
    struct action *actions;
    size_t count;
};

/* All of these return false and error->text on a mistake. */
bool script_parse(const char *text, size_t size, struct script *script, struct parse_error *error);
void script_free(struct script *script);
/* Appends a copy of the action; the script owns it. */
bool script_add(struct script *script, const struct action *action, struct parse_error *error);

/* Parse settings of the chip and set their has_... */
bool parse_board(struct span s, struct settings *settings, struct parse_error *error);
bool parse_timing(struct span s, struct settings *settings, struct parse_error *error);
bool parse_threads(struct span s, struct settings *settings, struct parse_error *error);
bool parse_skew(struct span s, struct settings *settings, struct parse_error *error);
bool parse_tiles(struct span s, struct tile_list *tiles, struct parse_error *error);
bool parse_cycles(struct span s, uint64_t *cycles, struct parse_error *error);
/* Parses brisc ... ncrisc, or erisc0 and erisc1 for the cores of Ethernet tiles. */
bool parse_core(struct span s, enum bh_core *core);
bool parse_chip(struct span s, unsigned *chip, struct parse_error *error);
/* Parses brisc,trisc0 or all or none into a mask. */
bool parse_cores(struct span s, unsigned *cores, struct parse_error *error);
/* Parses [TILES:]ADDRESS. *tiles stays unchanged if the text names none. */
bool parse_tile_address(struct span s, struct tile_list *tiles, struct guest_address *address,
                        struct parse_error *error);
/* Parses [TILES:]ADDRESS, or [TILES:]WHO.WHAT of enum inside_what; then action->inside is set. */
bool parse_dumped(struct span s, struct action *action, struct parse_error *error);
/* Parse the values of --write, --dump and --print: TILES:ADDR=WORDS|FILE, TILES:ADDR[:LEN[:FILE]] or TILES:WHO.WHAT,
 * and TILES:ADDR. */
bool parse_write(struct span s, struct action *action, struct parse_error *error);
bool parse_dump(struct span s, struct action *action, struct parse_error *error);

#endif
