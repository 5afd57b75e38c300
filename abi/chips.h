/* The chips of a library that has several: those of BHEMU_SYSTEM, or those that the client creates (by_id.c). */
#ifndef ABI_CHIPS_H
#define ABI_CHIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu.h"

enum { CHIPS_MAX = 32, CHIPS_BARS = 3 }; /* a PCI bus has 32 devices */

/* Bus addresses of chip n begin at n << CHIPS_SHIFT, as in ttsim's libraries with several chips. */
enum { CHIPS_SHIFT = 36 };

struct chips {
    bh_system *system;
    bool described;                       /* by a name or a file: no chip can be added */
    bh_chip *chip[CHIPS_MAX];             /* by number in the system; NULL: the client knows of none */
    uint64_t base[CHIPS_MAX][CHIPS_BARS]; /* of BAR 0, 2 and 4 */
};

/* Creates the chips of a system by its name, or those that a file describes; "": none. threads: host threads that run
 * chips. Returns NULL, and writes a message that names the system or the file, on failure. The caller closes it with
 * chips_close. */
struct chips *chips_open(const char *name, const struct bh_config *defaults, unsigned threads, char *message,
                         size_t size);
void chips_close(struct chips *chips); /* chips may be NULL */
/* Moves the BARs of all chips, so that each chip has addresses of its own. */
void chips_place(struct chips *chips);

/* Shows the client a chip of the system. */
bh_chip *chips_show(struct chips *chips, unsigned number);
/* Returns CHIPS_MAX for a pointer that is none of the chips. */
unsigned chips_number(const struct chips *chips, const void *chip);
/* Returns the chip with a BAR that contains this address, or NULL. */
bh_chip *chips_at(const struct chips *chips, uint64_t address);
/* Reads the addresses of a chip's BARs again, after the client may have changed them. */
void chips_note_bars(struct chips *chips, unsigned number);

#endif
