/* The actions of a run as a list. A command file has one action in each line; `bhemu run` without a command file makes
 * such a list from its options. docs/bhemu.1 ("COMMAND FILES") has the grammar.
 *
 * The parser opens no files and needs no chip. Spans in actions point into the given text, which must outlive them. */
#ifndef TOOLS_SCRIPT_H
#define TOOLS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu.h"
#include "text/text.h"

#define TILES_MAX 32

/* A rectangle of tiles, corners included; or, with `all`, every live Tensix tile. */
struct tile_range {
    bool all;
    struct bh_xy low, high;
};

struct tile_list {
    unsigned count;
    struct tile_range range[TILES_MAX];
};

/* An address: a number, or a symbol of a loaded program plus an offset. */
struct guest_address {
    struct span symbol; /* .n is 0 for a plain number */
    uint64_t offset;
};

/* State of the coprocessor that can be dumped, by a name WHO.WHAT. WHO is T0, T1, T2, or tensix for all three threads;
 * state that the threads share belongs to tensix only. The dot distinguishes these names from symbols of C programs. */
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
/* The WHAT of each member of enum inside_what: "", "wait" ... "srcb", then NULL. */
extern const char *const inside_names[INSIDE_COUNT + 1];

/* Returns whether the threads share this state. */
static inline bool inside_is_shared(enum inside_what what) {
    return what >= INSIDE_SRCA;
}

enum action_kind {
    ACTION_LOAD,    /* load file[@address] for cores */
    ACTION_WRITE,   /* write words, or the bytes of a file, at address */
    ACTION_RELEASE, /* take cores out of reset */
    ACTION_HOLD,    /* put cores into reset */
    ACTION_RUN,     /* run for at most `number` cycles; 0: up to the limit of the command line */
    ACTION_EXPECT_MEMORY,
    ACTION_EXPECT_TEXT,
    ACTION_EXPECT_STATE,
    ACTION_EXPECT_REGISTER,
    ACTION_DUMP,  /* write `number` bytes at address, or state of the coprocessor, to a file or stdout */
    ACTION_PRINT, /* print the text at address */
};

struct action {
    enum action_kind kind;
    unsigned line; /* in the command file; 0: the action is from the command line */
    unsigned chip; /* number of the chip in a system */
    struct tile_list tiles;
    struct guest_address address;
    unsigned cores;          /* a mask of cores */
    struct span core;        /* name of the core, of actions about one core; those of Ethernet tiles have other names */
    unsigned state;          /* enum bh_core_state */
    unsigned reg;            /* enum bh_register */
    struct span name;        /* name of the register, as the user wrote it */
    struct span file;        /* file name or text; .n is 0 if there is none */
    uint64_t number;         /* of cycles or bytes */
    enum inside_what inside; /* INSIDE_NOTHING: the action is about `address` */
    unsigned threads;        /* a mask of threads, for `inside` */
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

/* All functions that take a parse_error return false and set error->text on a mistake of the user. The caller frees a
 * parsed script with script_free; after a mistake there is nothing to free. */
bool script_parse(const char *text, size_t size, struct script *script, struct parse_error *error);
void script_free(struct script *script);
/* Appends a copy of the action. The script owns its words from then on. */
bool script_add(struct script *script, const struct action *action, struct parse_error *error);

/* Parse settings of the chip, and set the has_... that belongs to each. */
bool parse_board(struct span s, struct settings *settings, struct parse_error *error);
bool parse_timing(struct span s, struct settings *settings, struct parse_error *error);
bool parse_threads(struct span s, struct settings *settings, struct parse_error *error);
bool parse_skew(struct span s, struct settings *settings, struct parse_error *error);
bool parse_tiles(struct span s, struct tile_list *tiles, struct parse_error *error);
bool parse_cycles(struct span s, uint64_t *cycles, struct parse_error *error);
/* Parses brisc, trisc0, trisc1, trisc2, ncrisc, or erisc0 and erisc1, the cores of Ethernet tiles. Returns false for
 * other words. */
bool parse_core(struct span s, enum bh_core *core);
bool parse_chip(struct span s, unsigned *chip, struct parse_error *error);
/* Parses a list like brisc,trisc0, or all, or none, into a mask. */
bool parse_cores(struct span s, unsigned *cores, struct parse_error *error);
/* Parses [TILES:]ADDRESS. Leaves *tiles unchanged if the text names no tiles. */
bool parse_tile_address(struct span s, struct tile_list *tiles, struct guest_address *address,
                        struct parse_error *error);
/* Parses [TILES:]ADDRESS, or [TILES:]WHO.WHAT (enum inside_what), for which action->inside is set. */
bool parse_dumped(struct span s, struct action *action, struct parse_error *error);
/* Parse the values of the options --write, which is TILES:ADDR=WORDS|FILE, and --dump, which is TILES:ADDR[:LEN[:FILE]]
 * or TILES:WHO.WHAT. */
bool parse_write(struct span s, struct action *action, struct parse_error *error);
bool parse_dump(struct span s, struct action *action, struct parse_error *error);

#endif
