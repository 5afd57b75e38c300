/* Auto TTSync: the resources of the coprocessor that an instruction, or an access of a core, touches. If the two
 * conflict, the later one waits for the earlier one.
 *
 * An instruction that has waited for an access lingers at the gate for some cycles more: its class has a linger time of
 * four bits, of which each cycle shifts one out until none is left. The default is one cycle.
 *
 * The nine bits of a declaration (RESOURCEDECL) become sixteen here: eight resources read, eight written.
 *
 *     bit   0 1 2   Config[0]: unpacker 0, unpacker 1, the rest      read; + 8: written
 *           3 4 5   Config[1]: likewise
 *           6       GPRs
 *           7       TDMA-RISC
 *
 * Sources: AutoTTSync.md (BH); tt-llk's assembly.yaml for the linger time, and also for defaults and classes.
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
    uint16_t declared[TTSYNC_CLASSES]; /* as in RESOURCEDECL: resources 8:0, linger time 12:9 */
    uint8_t bank;                      /* CFG_STATE_ID after all words pushed so far */
    uint16_t requests;                 /* number of the core's last request to a tracked resource */
};

/* What a word remembers of Auto TTSync: in 11:0 the number of the core's last request before the push, in 15:12 the
 * linger time. Numbers wrap around; those that are compared are close to each other. */
enum { TTSYNC_NUMBER = 0xFFF, TTSYNC_LINGER_SHIFT = 12 };

/* Returns whether a request with this number came before the push of a word that remembers `mark`. */
static inline bool ttsync_precedes(uint16_t number, uint16_t mark) {
    return ((mark - number) & TTSYNC_NUMBER) <= TTSYNC_NUMBER / 2;
}

/* Returns the number of cycles for which a word that remembers `mark` lingers. */
static inline unsigned ttsync_lingers(uint16_t mark) {
    static const uint8_t cycles[16] = { 0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4 };
    return cycles[mark >> TTSYNC_LINGER_SHIFT];
}

/* Sets the declarations that hold after reset. */
void ttsync_init(struct ttsync *s);
/* Returns the resources that a pushed word touches; 0 if the thread does not track instructions. */
uint16_t ttsync_of_word(const struct ttsync *s, uint32_t word, const uint16_t *config);
/* Returns the linger time of a pushed word, four bits; 0 if it touches no resources by itself. */
unsigned ttsync_linger_of_word(const struct ttsync *s, uint32_t word);
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
