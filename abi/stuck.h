/* Kernels of tt-metal that do not end: what they wait for, as long as the client still waits for them. */
#ifndef ABI_STUCK_H
#define ABI_STUCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bhemu.h"

struct stuck;

/* When the client's kernels were last looked at. */
struct stuck_pace {
    uint64_t clocks;
    double seconds;
    double spent; /* seconds of a processor that all looks have taken */
};
struct stuck_pace *stuck_pace(struct stuck *stuck);

/* Knows the layouts that are built in, and that of a file, unless the path is empty. Returns NULL and a message if
 * the file is none, or if there is no memory. */
struct stuck *stuck_open(const char *path, char *message, size_t size);
void stuck_close(struct stuck *stuck); /* may be NULL */

/* Looks for tiles with a kernel that has not ended, on which nothing has happened for a million cycles, or for a second
 * of the host's time and some thousands of cycles; reports each once. */
struct stuck_watch {
    unsigned number;           /* of the chip, below 32 */
    const char *name;          /* of the chip, before each line; "" if there is only one */
    unsigned long long clocks; /* for the first line */
    double seconds;            /* the host's time */
    bool polls;                /* the client reads from the chip about as often as it lets it run */
};
void stuck_look(struct stuck *stuck, const bh_chip *chip, const struct stuck_watch *watch, FILE *out);
/* Writes where in its kernel a core has stopped, if it runs one. */
void stuck_place(const struct stuck *stuck, const bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t pc,
                 FILE *out);

#endif
