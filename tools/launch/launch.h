/* Launch files: the firmware to boot, the data and kernels to place, the runs, and the results to dump or compare.
 * Sections are steps, executed in the order of the file; docs/software.md lists every section and key.
 *
 * The parser opens no files and needs no chip. Spans point into the given text, which must outlive them. */
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

/* The value of a key, and its line. .text.n is 0: the key was not given. */
struct setting {
    struct span text;
    unsigned line;
};

enum fill_kind { FILL_NONE, FILL_ZERO, FILL_FILE, FILL_WORDS, FILL_RAMP, FILL_RANDOM };
enum fill_type { FILL_U8, FILL_U16, FILL_U32, FILL_BF16, FILL_F32, FILL_TYPE_COUNT };

/* Contents of a buffer. */
struct fill {
    enum fill_kind kind;
    enum fill_type type; /* type of the numbers of ramps and random fills */
    unsigned line;
    struct span file;
    double start, step;
    uint64_t seed;
    unsigned word_count; /* the words are repeated to fill the buffer */
    uint32_t words[FILL_WORDS_MAX];
};

struct launch_buffer {
    struct span name;
    bool in_l1;
    bool one_bank; /* false: the pages are distributed over all banks of DRAM */
    unsigned bank;
    struct tile_list tiles; /* for buffers in L1 */
    bool has_address;
    uint64_t address;
    uint64_t size; /* of a buffer in L1: on each tile */
    uint32_t page;
    struct fill fill;
};

struct launch_program {
    struct tile_list tiles;
    struct setting kernel[PROCESSORS]; /* "FILE" or "raw FILE" */
    struct setting args[PROCESSORS], common_args[PROCESSORS];
    struct setting cb[CB_MAX];               /* "ADDRESS, SIZE, PAGE" */
    struct setting semaphore[SEMAPHORE_MAX]; /* initial value */
    unsigned noc;                            /* the NoC that brisc uses */
    bool dynamic_noc;
};

/* A dump of a buffer, or an expectation about its contents. */
struct launch_look {
    unsigned buffer; /* index of the buffer's step */
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
        uint64_t max_cycles; /* of a run; 0: the limit of the command line */
        struct launch_look look;
    };
};

struct launch {
    struct settings settings;
    struct step *steps;
    size_t count;
};

/* Parses a launch file. Returns false if there are mistakes, which are in ini->errors. The caller frees the result with
 * launch_free. */
bool launch_parse(struct ini *ini, const char *text, size_t size, struct launch *launch);
void launch_free(struct launch *launch);

/* Returns the index of the step with the buffer of this name among the first `count` steps, or count if there is
 * none. */
size_t launch_find_buffer(const struct launch *launch, size_t count, struct span name);

/* Names besides those of buffers that arguments may use: index, count, x, y ..., ends with NULL. */
extern const char *const launch_tile_names[];

/* Parses the contents of a buffer or an expectation. Returns false after ini_error. */
bool parse_fill(struct ini *ini, struct span value, struct fill *fill);
/* Returns the contents that a fill describes, `all` bytes. A file may also have `one` bytes, for one tile, which are
 * repeated on every tile. Returns NULL and writes a message on failure. The caller frees the result. */
uint8_t *fill_bytes(const struct fill *fill, size_t one, size_t all, char *message, size_t message_size);

#endif
