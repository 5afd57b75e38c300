/* Finds kernels of tt-metal that do not end, and reports what they wait for while the client still waits for them. */
#ifndef ABI_STUCK_H
#define ABI_STUCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bhemu.h"

struct stuck;

/* The last look at kernels, and the cost of all looks. */
struct stuck_pace {
    uint64_t clocks;
    double seconds;
    double spent; /* seconds of a processor that all looks have taken */
};
/* Returns the pace, which the caller updates. */
struct stuck_pace *stuck_pace(struct stuck *stuck);

/* Knows the built-in layouts, and that of a file unless the path is empty. Returns NULL and writes a message if the
 * file is wrong or there is no memory. */
struct stuck *stuck_open(const char *path, char *message, size_t size);
void stuck_close(struct stuck *stuck); /* stuck may be NULL */

/* For stuck_look, which looks for tiles with a kernel that has not ended and on which nothing has happened for about a
 * million cycles, or for a second of host time and some thousands of cycles. Each is reported once. */
struct stuck_watch {
    unsigned number;           /* of the chip, less than 32 */
    const char *name;          /* name of the chip, which begins each line; "" if there is only one chip */
    unsigned long long clocks; /* for the first line of the report */
    double seconds;            /* host time */
    bool polls;                /* the client reads from the chip about as often as it lets the chip run */
};
void stuck_look(struct stuck *stuck, const bh_chip *chip, const struct stuck_watch *watch, FILE *out);
/* Writes where in its kernel a core has stopped, if the core runs one. */
void stuck_place(const struct stuck *stuck, const bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t pc,
                 FILE *out);

#endif
