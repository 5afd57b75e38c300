/* Auto TTSync: the resources of the coprocessor that an instruction, or an access of a core, touches. If the two
 * conflict, the later one waits for the earlier one.
 *
 * The nine bits of a declaration (RESOURCEDECL) become sixteen here: eight resources read, eight written.
 *
 *     bit   0 1 2   Config[0]: unpacker 0, unpacker 1, the rest      read; + 8: written
 *           3 4 5   Config[1]: likewise
 *           6       GPRs
 *           7       TDMA-RISC
 *
 * Source: AutoTTSync.md (BH); defaults and classes also in tt-llk's assembly.yaml.
 */
#ifndef TENSIX_FRONTEND_TTSYNC_H
#define TENSIX_FRONTEND_TTSYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/config.h"

enum {
    TTSYNC_CLASSES = 16,
    TTSYNC_GPR = 1u << 6,
    TTSYNC_TDMA = 1u << 7,
    TTSYNC_WRITES = 8, /* shift from "read" bits to "written" bits */
};

struct ttsync {
    uint16_t declared[TTSYNC_CLASSES]; /* nine bits each, as in RESOURCEDECL */
    uint8_t bank;                      /* CFG_STATE_ID after all words pushed so far */
    uint16_t requests;                 /* number of the core's last request to a tracked resource */
};

/* Sets the declarations that hold after reset. */
void ttsync_init(struct ttsync *s);
/* Returns the resources that a pushed word touches; 0 if the thread does not track instructions. */
uint16_t ttsync_of_word(const struct ttsync *s, uint32_t word, const uint16_t *config);
/* Executes a RESOURCEDECL. */
void ttsync_declare(struct ttsync *s, uint32_t word);

/* Return the resources, as "read" bits, that an access of the thread's core touches; 0 if the thread does not track
 * them. config: the thread's ThreadConfig. offset: in bytes from 0xFFEF0000. */
uint16_t ttsync_of_gpr(const uint16_t *config);
uint16_t ttsync_of_tdma(const uint16_t *config);
uint16_t ttsync_of_config(const uint16_t *config, uint32_t offset);

/* Returns whether an access to the resources `access` ("read" bits) has to wait for words in flight that touch
 * `words`. */
static inline bool ttsync_meets(uint16_t access, bool store, uint16_t words) {
    return ((access << TTSYNC_WRITES | (store ? access : 0)) & words) != 0;
}

#endif
