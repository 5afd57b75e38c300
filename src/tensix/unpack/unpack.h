/* The unpackers: 0 moves data from L1 to SrcA or Dst, 1 from L1 to SrcB.
 *
 *     gate -> input address (2 cycles, one instruction at a time) -> queue -> bank of Src -> data
 *
 * issue.c when an instruction passes; address.c what it is going to do, from configuration and counters, which is
 * fixed then, run.c the same by a plan (plan.h); queue.c when it does it; format.c formats, and how fast they are
 * fetched; move.c the data; nop.c UNPACR_NOP.
 *
 * Time. An UNPACR holds its thread and all others' UNPACR for two cycles, then waits behind earlier ones of the same
 * unpacker and for its bank of Src, then takes as many cycles as L1 needs to deliver its data. What it does is seen
 * from the cycle on in which it ends: data and hand-over of the bank at once.
 *
 * Inexact: how many instructions wait in an unpacker (four here); that fetching begins when the bank is free, where the
 * hardware has fetched a part already; unpacking to Dst leaves SrcA alone, where the hardware overwrites it with
 * something.
 *
 * Sources: UNPACR*.md, Unpackers/README.md, ADCs.md, SrcASrcB.md (WH, with their Blackhole branches), SoftReset.md
 * (BH).
 */
#ifndef TENSIX_UNPACK_UNPACK_H
#define TENSIX_UNPACK_UNPACK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "isa/config.h"
#include "isa/formats.h"
#include "isa/tensix.h"
#include "isa/wait.h"
#include "numeric/lanes/unpack_kernels.h"
#include "tensix/plan.h"
#include "tensix/regs/adc.h"

struct tensix;

enum { UNPACKERS = 2, UNPACK_JOBS = 4 };

enum unpack_kind { UNPACK_MOVE, UNPACK_CLEAR, UNPACK_DVALID, UNPACK_POP, UNPACK_PAUSE };

/* The bank of Src that has to be the unpackers'. */
enum unpack_bank { UNPACK_NO_BANKS, UNPACK_OWN_BANK, UNPACK_MATRIX_BANK };

/* Where the data are in L1. Data and deltas have addresses in bits, exponents in sixteenths of a byte (one lasts for 16
 * data). */
struct unpack_input {
    uint64_t data, exponents, deltas;
    uint64_t limit, fifo; /* bytes: beyond the one, addresses get less by the other */
    uint32_t count;       /* of data; UINT32_MAX: until `emit` are out */
    uint32_t drop, emit;  /* after decompression: how many to leave out, and how many to take */
    uint32_t stride;      /* bytes, from each piece of `piece` data to the next */
    uint8_t piece;        /* 16 or 32 data */
    uint8_t bits;         /* of a datum */
    uint8_t exponent;     /* for all data, if forced */
    bool forced, shared;  /* exponents */
    bool compressed;
};

struct unpack_output {
    uint32_t address;              /* of the first datum, in data */
    uint8_t zeros;                 /* after each datum: upsampling */
    bool skip;                     /* do not write these */
    uint8_t shift;                 /* columns to the left */
    bool dst, transpose, absolute; /* absolute: rows of SrcA do not start at unpacker_row */
    bool zero;                     /* data are zero, whatever L1 has */
    bool spread;                   /* the row goes to eight rows */
};

/* An instruction in an unpacker. Where it is in the queue is found by a shift. */
struct unpack_job {
    uint64_t ready; /* its data can be fetched from this cycle on */
    uint32_t word;
    uint8_t kind; /* enum unpack_kind */
    uint8_t thread;
    uint8_t waits_for; /* enum unpack_bank */
    uint8_t bank;      /* of Config */
    uint8_t way;       /* enum unpack_way */
    uint8_t format;    /* that its bank of Src will have */
    bool flip;         /* hands the bank over in the end */
    bool whole_rows;   /* moves whole rows to Src as they are, unless counts or addresses say otherwise */
    bool advance;      /* else adds to the row where the next one starts */
    uint8_t row;       /* what SRCx_SET_Base says */
    uint8_t rate;      /* units of 16 bytes that it fetches in a cycle: 1, 2, 4 or 8 */
    uint32_t units;    /* to fetch */
    uint32_t datum;    /* UNPACK_CLEAR: what to fill Src with; UNPACK_POP: the stream */
    struct unpack_input in;
    struct unpack_output out;
} __attribute__((aligned(64)));

/* What the first job is doing. */
enum unpack_phase { UNPACK_EMPTY, UNPACK_NOT_READY, UNPACK_NO_BANK, UNPACK_RUNS };

struct unpacker {
    uint8_t first, count, phase;
    uint64_t since;              /* of UNPACK_RUNS: at this time `left` was */
    uint64_t end;                /* of this phase; TENSIX_NEVER: not known */
    uint32_t left;               /* units of 16 bytes */
    bool slowed;                 /* by the other one */
    uint64_t clock[UNPACK_JOBS]; /* loose: of the threads, when they sent their jobs */
    struct unpack_job job[UNPACK_JOBS];
};

/* What UNPACRs of a thread that are alike have in common (plan.h). */
struct unpack_plan {
    struct plan of;
    uint8_t xy;                                /* the thread whose X and Y they use */
    uint8_t base;                              /* word of the section: address of the tile */
    uint8_t size;                              /* of a datum of the output: log2 of bytes */
    uint32_t header;                           /* from there to exponents or data, in units of 16 bytes */
    uint64_t exponents;                        /* bytes of them before the data */
    uint32_t x_dim, y_dim, z_dim;              /* of the tile */
    uint32_t to, y_stride, z_stride, w_stride; /* of the output */
    uint32_t to_context;                       /* what the context says of it */
    bool adds;                                 /* both */
    struct unpack_job job;                     /* but for addresses, counts and what instructions say themselves */
};

/* Programs use two contexts of an unpacker by turns. */
struct unpack_plans {
    struct unpack_plan of[UNPACKERS][2];
};

static inline struct unpack_plan *unpack_plan_of(struct unpack_plans *plans, unsigned unpacker, unsigned context) {
    return &plans->of[unpacker][context % 2];
}

/* What UNPACRs differ in under one plan: AddrMode, SetDatValid, ZeroWrite2, and Last, which nobody looks at. */
enum { UNPACK_HANDS_OVER = 1 << 6, UNPACK_ZEROS = 1 << 4 };
enum { UNPACK_OWN_BITS = 0xFF << 15 | UNPACK_HANDS_OVER | UNPACK_ZEROS | 1 };

static inline uint64_t unpack_key(unsigned thread, unsigned context, uint32_t word) {
    return (uint64_t)(thread << 4 | context) << 32 | (word & ~(uint32_t)UNPACK_OWN_BITS);
}

struct unpack {
    uint64_t due;          /* the next cycle in which something happens here; TENSIX_NEVER: none is known */
    uint64_t address_free; /* before it no UNPACR passes */
    bool waits;            /* an unpacker waits for a bank */
    struct unpacker unit[UNPACKERS];
};

void unpack_init(struct unpack *unpack);
/* Does what is due in cycle `now`. */
void unpack_step(struct tensix *x, uint64_t now);
/* The unpackers enter soft reset: what they have is forgotten. */
void unpack_abort(struct tensix *x, uint64_t now);
/* Why the unpacker does not come to an end. */
enum wait unpack_waits_for(const struct unpack *unpack, unsigned unpacker);

/* Something has changed that can be seen from this cycle on: perhaps the bank that one `waits` for. */
void unpack_event(struct tensix *x, uint64_t time);

/* ---- Inside ---------------------------------------------------------------------------------------------- */

/* What returns a text returns NULL, or what is undefined about it. */

static inline struct unpack_job *unpack_job_at(struct unpacker *u, unsigned i) {
    return &u->job[(u->first + i) % UNPACK_JOBS];
}

/* Is there no room for another instruction? */
static inline bool unpack_full(const struct unpacker *u) {
    return u->count == UNPACK_JOBS;
}

/* The place of the next instruction; there must be room. */
static inline struct unpack_job *unpack_next_job(struct unpacker *u) {
    return unpack_job_at(u, u->count);
}

/* Where a thread's next unpacks to Src start. own: its ThreadConfig. */
static inline uint8_t unpack_base_row(const uint16_t *own, unsigned unpacker) {
    return (uint8_t)((unpacker ? CONFIG_GET(own, SRCB_SET_Base) : CONFIG_GET(own, SRCA_SET_Base)) << 4);
}

/* The instruction in the next place is there from now on. */
void unpack_queue(struct tensix *x, unsigned unpacker, uint64_t now);

/* Words of Config from unpacker 0's section to 1's. */
enum { UNPACK_SECTION = CONFIG_WORD_THCON_SEC1_REG0_TileDescriptor - CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor };

/* The output's base, with what counters add to it. */
static inline uint32_t unpack_output_sum(const struct unpack_plan *plan, const uint32_t *counter) {
    return plan->to + counter[ADC_Y] * plan->y_stride + counter[ADC_Z] * plan->z_stride +
           counter[ADC_W] * plan->w_stride;
}

static inline bool unpack_is_odd(const struct unpack_plan *plan, uint32_t sum) {
    return sum & ((1u << plan->size) - 1);
}

static inline uint32_t unpack_output_address(const struct unpack_plan *plan, uint32_t sum) {
    return (plan->adds ? sum >> plan->size : 0) + plan->to_context;
}

/* Addresses beyond the end of a FIFO go on at its beginning. */
static inline void unpack_wrap(struct unpack_input *in) {
    if (in->data > in->limit * 8)
        in->data -= in->fifo * 8;
    if (in->deltas > in->limit * 8)
        in->deltas -= in->fifo * 8;
    if (in->exponents > in->limit * 16)
        in->exponents -= in->fifo * 16;
}

/* address.c: fills in the job of an UNPACR that moves data, and leaves a plan for those that are like it. context: of
 * multi-context mode only. */
const char *unpack_prepare(struct tensix *x, unsigned thread, unsigned unpacker, unsigned context, uint32_t word,
                           struct unpack_job *job);

/* run.c: the same by the plan. False: there is none, or counters name what it is not for. */
bool unpack_run(struct tensix *x, unsigned thread, unsigned unpacker, unsigned context, uint32_t word,
                struct unpack_job *job);

/* format.c */
extern const struct unpack_format {
    uint8_t bits; /* of a datum in L1; 0: there is no such format */
    bool shared;  /* exponent: BFP */
    uint8_t way;  /* to itself */
} unpack_formats[16];

int unpack_way_of_fp32(unsigned out, bool to_dst);
/* e4m3: FP8 has four bits of exponent. -1: undefined. INT8 stands for both kinds. */
static inline int unpack_way_of(unsigned in, unsigned out, bool to_dst, bool e4m3) {
    const struct unpack_format *format = &unpack_formats[in];
    if (in == FORMAT_FP32)
        return unpack_way_of_fp32(out, to_dst);
    if (in != out || !format->bits || (format->way == UNPACK_WORD && !to_dst))
        return -1;
    return in == FORMAT_FP8 && e4m3 ? UNPACK_E4M3 : format->way;
}

/* Sets units and rate. section: the words of Config, as far on as makes unpacker 0's words this one's. */
void unpack_speed(const uint32_t *section, struct unpack_job *job, bool tilize);

/* move.c */
const char *unpack_move(struct tensix *x, unsigned unpacker, const struct unpack_job *job);

/* nop.c */
void unpack_clear(struct tensix *x, unsigned unpacker, const struct unpack_job *job);
void unpack_pop(struct tensix *x, const struct unpack_job *job, uint64_t now);

#endif
