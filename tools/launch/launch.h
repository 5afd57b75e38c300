/* Launch files: what firmware to boot, what data and kernels to place, when to run, what to look at afterwards.
 * Sections are steps, done in the order of the file; docs/software.md has every section and key.
 *
 * Parsing touches nothing but the text: no files, no chip. Spans point into the text, which must live on.
 */
#ifndef TOOLS_LAUNCH_H
#define TOOLS_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/expr.h"
#include "text/ini.h"
#include "firmware/firmware.h"
#include "firmware/layout.h"
#include "script/script.h"

#define CB_MAX         64
#define SEMAPHORE_MAX  16
#define FILL_WORDS_MAX 64

/* A value and the line that it stands in; .text.n 0: none. */
struct setting {
    struct span text;
    unsigned line;
};

enum fill_kind { FILL_NONE, FILL_ZERO, FILL_FILE, FILL_WORDS, FILL_RAMP, FILL_RANDOM };
enum fill_type { FILL_U8, FILL_U16, FILL_U32, FILL_BF16, FILL_F32, FILL_TYPE_COUNT };

/* Contents of a buffer. */
struct fill {
    enum fill_kind kind;
    enum fill_type type; /* of ramps and random numbers */
    unsigned line;
    struct span file;
    double start, step;
    uint64_t seed;
    unsigned word_count; /* repeated over and over */
    uint32_t words[FILL_WORDS_MAX];
};

struct launch_buffer {
    struct span name;
    bool in_l1;
    bool one_bank; /* else all banks of DRAM take turns, page by page */
    unsigned bank;
    struct tile_list tiles; /* L1 */
    bool has_address;
    uint64_t address;
    uint64_t size; /* in L1: on every tile */
    uint32_t page;
    struct fill fill;
};

struct launch_program {
    struct tile_list tiles;
    struct setting kernel[PROCESSORS]; /* "FILE" or "raw FILE" */
    struct setting args[PROCESSORS], common_args[PROCESSORS];
    struct setting cb[CB_MAX];               /* "ADDRESS, SIZE, PAGE" */
    struct setting semaphore[SEMAPHORE_MAX]; /* initial value */
    unsigned noc;                            /* of brisc */
    bool dynamic_noc;
};

/* A dump or an expectation of a buffer. */
struct launch_look {
    unsigned buffer; /* index of its step */
    struct span file;
    struct fill fill;
};

enum step_kind { STEP_FIRMWARE, STEP_BUFFER, STEP_PROGRAM, STEP_RUN, STEP_DUMP, STEP_EXPECT };

struct step {
    enum step_kind kind;
    unsigned line;
    union {
        struct firmware_files firmware;
        struct launch_buffer buffer;
        struct launch_program program;
        uint64_t max_cycles; /* of a run; 0: as the command line says */
        struct launch_look look;
    };
};

struct launch {
    struct settings settings;
    struct step *steps;
    size_t count;
};

/* What is wrong is in ini->errors. */
bool launch_parse(struct ini *ini, const char *text, size_t size, struct launch *launch);
void launch_free(struct launch *launch);

/* The buffer of a name among the first count steps: the index of its step, or count. */
size_t launch_find_buffer(const struct launch *launch, size_t count, struct span name);

/* The names that arguments may use besides buffers, NULL at the end: index, count, x, y ... */
extern const char *const launch_tile_names[];

/* parse_fill: the value of a key of a buffer or an expectation. */
bool parse_fill(struct ini *ini, struct span value, struct fill *fill);
/* The contents that a fill describes, all bytes of it; a file may also have one bytes, which are repeated then (the
 * same on every tile). NULL and a message on failure. The caller frees. */
uint8_t *fill_bytes(const struct fill *fill, size_t one, size_t all, char *message, size_t message_size);

#endif
