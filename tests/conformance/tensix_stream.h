/* Instruction streams for the three threads of the coprocessor, as cores push them: words, gaps between
 * them, and waits. Programs are synchronised as the documents demand, for the oracle executes every instruction at
 * once and hardware does not:
 *   - a GPR is not touched until RDCFG has written it, nor a word of Config until its writer has left the pipeline.
 *     C12 is the condition for that, which the oracle refuses; so NOPs stand there, more than the pipeline is long;
 *   - banks are switched only with an empty pipeline;
 *   - a core reads the results of its thread after a tensix_sync, and reads back what it stores before it pushes.
 */
#ifndef CONFORMANCE_TENSIX_STREAM_H
#define CONFORMANCE_TENSIX_STREAM_H

#include "generate.h"
#include "isa/config.h"

enum { THREADS = 3, GPRS = 64, SEMAPHORES = 8 };

/* Registers of the cores. BRISC has the two other push windows in place of those that it does not see. */
enum {
    TEMP = 5, /* and the four after it */
    MOP_CONFIG = 26,
    CONFIG_BASE = 27,
    GPR_BASE = 28,
    SYNC_BASE = 29,
    PUSH_BASE = 30,
    AREA_BASE = 31, /* the area + AREA_MIDDLE bytes */
    PUSH1_BASE = GPR_BASE,
    PUSH2_BASE = SYNC_BASE,
};
enum { AREA_MIDDLE = 1024 };

struct stream {
    struct generated_part *core; /* the TRISC of the thread */
    unsigned now;                /* instructions pushed; no more than one passes the gate in a cycle */
    unsigned gpr_ready[GPRS], word_ready[CONFIG_WORDS], all_ready; /* the first `now` in which they may be touched */
    unsigned queued; /* at most so many wait: the oracle's FIFO takes 511 and stores to it are not held back */
    unsigned bank;
};

struct generator {
    struct generated *program;
    uint64_t state; /* of the random numbers */
    unsigned item;
    struct stream stream[THREADS];
    struct generated_part *brisc; /* NULL: not in this program */
    bool by_brisc;                /* BRISC pushes */
};

static inline int32_t area_offset(unsigned word) {
    return (int32_t)word * 4 - AREA_MIDDLE;
}

/* A number below the limit. */
unsigned draw(struct generator *g, unsigned limit);
void emit(struct generator *g, struct generated_part *part, uint32_t word);
void emit_constant(struct generator *g, struct generated_part *part, unsigned reg, uint32_t value);

/* By .ttinsn or by a store. */
void push(struct generator *g, unsigned thread, uint32_t word);
/* Waits in the coprocessor. */
void settle_gpr(struct generator *g, unsigned thread, unsigned reg);
void settle_word(struct generator *g, unsigned thread, unsigned word);
void settle(struct generator *g, unsigned thread);
/* The pending effect of the instruction that was pushed last. */
void lands_in_gpr(struct generator *g, unsigned thread, unsigned reg);
void lands_in_word(struct generator *g, unsigned thread, unsigned word);

/* The core waits until everything that its thread has been given is done. */
void sync(struct generator *g, unsigned thread);
/* As many instructions can follow without overflowing the oracle. */
void make_room(struct generator *g, unsigned thread, unsigned count);
/* The core waits until all bits of the register have arrived. */
void consume(struct generator *g, struct generated_part *part, unsigned reg);
/* A store that everything after it sees. */
void store_and_read_back(struct generator *g, struct generated_part *part, unsigned reg, int32_t offset, unsigned base);
/* Copies words between two places, upwards. Uses TEMP to TEMP + 3. */
void emit_copy(struct generator *g, struct generated_part *part, unsigned to, int32_t to_offset, unsigned from,
               int32_t from_offset, unsigned words);

#endif
