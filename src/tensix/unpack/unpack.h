/* The unpackers: unpacker 0 moves data from L1 to SrcA or Dst, unpacker 1 from L1 to SrcB.
 *
 *     gate -> input address (2 cycles, one instruction at a time) -> queue -> bank of Src -> data
 *
 *     issue.c      when an instruction passes          queue.c   when a job is executed
 *     address.c    jobs, from configuration and        move.c    the data
 *                  counters; plans (plan.h)            format.c  formats and their rates
 *     run.c        jobs by a plan                      nop.c     UNPACR_NOP
 *
 * Time. An UNPACR holds its thread, and UNPACRs of all threads, for two cycles. Its job waits for earlier jobs of the
 * same unpacker and for its bank of Src, and then takes as many cycles as L1 needs to deliver its data. The data and
 * the hand-over of the bank become visible together, in the cycle in which the job ends.
 *
 * Inexact: an unpacker queues four instructions; fetching begins when the bank is free, while hardware prefetches;
 * unpacking to Dst leaves SrcA unchanged, while hardware overwrites it.
 *
 * Sources: UNPACR*.md, Unpackers/README.md, ADCs.md, SrcASrcB.md (WH, with their Blackhole branches), SoftReset.md
 * (BH). */
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

/* The bank of Src that the unpackers have to own before a job starts: their own, or the one that the Matrix Unit
 * uses. */
enum unpack_bank { UNPACK_NO_BANKS, UNPACK_OWN_BANK, UNPACK_MATRIX_BANK };

/* The source in L1. Addresses of data and deltas are in bits. Those of exponents are in sixteenths of a byte: 16 data
 * share one exponent. */
struct unpack_input {
    uint64_t data, exponents, deltas;
    uint64_t limit, fifo; /* bytes: an address beyond `limit` wraps around by subtracting `fifo` */
    uint32_t count;       /* number of data; UINT32_MAX: until `emit` data are written */
    uint32_t drop, emit;  /* data to skip and data to write, after decompression */
    uint32_t stride;      /* bytes from one piece to the next */
    uint8_t piece;        /* data in a piece: 16 or 32 */
    uint8_t bits;         /* size of a datum */
    uint8_t exponent;     /* exponent of all data, if `forced` */
    bool forced, shared;  /* whether data share exponents, and whether `exponent` replaces these */
    bool compressed;
};

struct unpack_output {
    uint32_t address;              /* of the first datum, counted in data */
    uint8_t zeros;                 /* zeros after each datum (upsampling) */
    bool skip;                     /* skip those zeros instead of writing them */
    uint8_t shift;                 /* columns to shift to the left */
    bool dst, transpose, absolute; /* absolute: rows of SrcA count from 0, not from unpacker_row */
    bool zero;                     /* write zeros instead of the data */
    bool spread;                   /* the row is written to eight rows */
};

/* An instruction in an unpacker. Aligned to a power of two, so that a shift gives its index in the queue. */
struct unpack_job {
    uint64_t ready; /* first cycle in which the data can be fetched */
    uint32_t word;
    uint8_t kind; /* enum unpack_kind */
    uint8_t thread;
    uint8_t waits_for; /* enum unpack_bank */
    uint8_t bank;      /* bank of Config */
    uint8_t path;      /* enum unpack_path */
    uint8_t format;    /* format that the bank of Src gets */
    bool flip;         /* hand the bank over at the end */
    bool whole_rows;   /* moves whole rows to Src without a change, if counts and addresses permit */
    bool advance;      /* unless `flip`: advance the row where the thread's next unpack starts */
    uint8_t row;       /* SRCx_SET_Base */
    uint8_t rate;      /* units of 16 bytes fetched in a cycle: 1, 2, 4 or 8 */
    uint32_t units;    /* units of 16 bytes to fetch */
    uint32_t datum;    /* UNPACK_CLEAR: the value that fills Src; UNPACK_POP: the stream */
    struct unpack_input in;
    struct unpack_output out;
} __attribute__((aligned(64)));

/* Phases of the first job in the queue. */
enum unpack_phase { UNPACK_EMPTY, UNPACK_NOT_READY, UNPACK_NO_BANK, UNPACK_RUNS };

struct unpacker {
    uint8_t first, count, phase;
    uint64_t since;              /* in UNPACK_RUNS: the cycle in which it began */
    uint64_t end;                /* end of this phase; TENSIX_NEVER: unknown */
    uint64_t clock[UNPACK_JOBS]; /* with loose timing: the clock of each job's thread when it queued the job */
    struct unpack_job job[UNPACK_JOBS];
};

/* The plan of a thread's UNPACRs (plan.h). */
struct unpack_plan {
    struct plan of;
    uint8_t xy;                                /* thread whose X and Y counters are used */
    uint8_t base;                              /* index of the word of the section that has the tile's address */
    uint8_t size;                              /* size of a datum of the output, as log2 of bytes */
    uint32_t header;                           /* from the tile's address to exponents or data, in units of 16 bytes */
    uint64_t exponents;                        /* bytes of exponents before the data */
    uint32_t x_dim, y_dim, z_dim;              /* dimensions of the tile */
    uint32_t to, y_stride, z_stride, w_stride; /* base and strides of the output address */
    uint32_t to_context;                       /* output address that the context gives */
    bool adds;                                 /* the output address is to_context plus base and counters; else
                                                * to_context alone */
    struct unpack_job job;                     /* the job, except for addresses, counts and UNPACK_OWN_BITS */
};

/* Two plans for each unpacker, because programs alternate between two contexts. */
struct unpack_plans {
    struct unpack_plan of[UNPACKERS][2];
};

static inline struct unpack_plan *unpack_plan_of(struct unpack_plans *plans, unsigned unpacker, unsigned context) {
    return &plans->of[unpacker][context % 2];
}

/* UNPACRs that differ only in these fields share a plan: AddrMode, SetDatValid, ZeroWrite2, and Last, which has no
 * effect. */
enum { UNPACK_HANDS_OVER = 1 << 6, UNPACK_ZEROS = 1 << 4 };
enum { UNPACK_OWN_BITS = 0xFF << 15 | UNPACK_HANDS_OVER | UNPACK_ZEROS | 1 };

static inline uint64_t unpack_key(unsigned thread, unsigned context, uint32_t word) {
    return (uint64_t)(thread << 4 | context) << 32 | (word & ~(uint32_t)UNPACK_OWN_BITS);
}

struct unpack {
    uint64_t due;          /* next cycle in which unpack_step has work; TENSIX_NEVER: unknown, or never */
    uint64_t address_free; /* no UNPACR passes before this cycle */
    bool waits;            /* an unpacker waits for a bank */
    struct unpacker unit[UNPACKERS];
};

void unpack_init(struct unpack *unpack);
/* Does the work that is due. Precondition: unpack.due is `now`. */
void unpack_step(struct tensix *x, uint64_t now);
/* Discards all jobs. For the soft reset of the unpackers. */
void unpack_abort(struct tensix *x, uint64_t now);
/* Returns the reason why the unpacker's first job does not start; WAIT_NONE if it runs. */
enum wait unpack_waits_for(const struct unpack *unpack, unsigned unpacker);

/* Lets unpackers that wait for a bank try again in this cycle if the bank may have come back. */
void unpack_event(struct tensix *x, uint64_t time);

/* ---- Inside ---------------------------------------------------------------------------------------------- */

/* A function below that returns a text returns the reason why the instruction is undefined, or NULL if it is not. */

static inline struct unpack_job *unpack_job_at(struct unpacker *u, unsigned i) {
    return &u->job[(u->first + i) % UNPACK_JOBS];
}

/* Returns whether the queue is full. */
static inline bool unpack_full(const struct unpacker *u) {
    return u->count == UNPACK_JOBS;
}

/* Returns the free slot at the end of the queue. Precondition: the queue is not full. */
static inline struct unpack_job *unpack_next_job(struct unpacker *u) {
    return unpack_job_at(u, u->count);
}

/* Returns the row of Src at which a thread's next unpacks start. own: its ThreadConfig. */
static inline uint8_t unpack_base_row(const uint16_t *own, unsigned unpacker) {
    return (uint8_t)((unpacker ? CONFIG_GET(own, SRCB_SET_Base) : CONFIG_GET(own, SRCA_SET_Base)) << 4);
}

/* Queues the job that the caller has filled in at unpack_next_job(). */
void unpack_queue(struct tensix *x, unsigned unpacker, uint64_t now);

/* The distance in words from unpacker 0's section of Config to unpacker 1's. */
enum { UNPACK_SECTION = CONFIG_WORD_THCON_SEC1_REG0_TileDescriptor - CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor };

/* Returns the output address that base and counters give, in bytes. */
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

/* Wraps addresses beyond the end of a FIFO around to its start (limit, fifo). */
static inline void unpack_wrap(struct unpack_input *in) {
    if (in->data > in->limit * 8)
        in->data -= in->fifo * 8;
    if (in->deltas > in->limit * 8)
        in->deltas -= in->fifo * 8;
    if (in->exponents > in->limit * 16)
        in->exponents -= in->fifo * 16;
}

/* address.c: fills in the job of an UNPACR that moves data, and makes a plan if one can cover it. context: used in
 * multi-context mode only. */
const char *unpack_prepare(struct tensix *x, unsigned thread, unsigned unpacker, unsigned context, uint32_t word,
                           struct unpack_job *job);

/* run.c: fills in the job from the plan. Returns false if there is no plan, or if it does not cover these counters. */
bool unpack_run(struct tensix *x, unsigned thread, unsigned unpacker, unsigned context, uint32_t word,
                struct unpack_job *job);

/* format.c: by format number */
extern const struct unpack_format {
    uint8_t bits; /* size of a datum in L1; 0: there is no such format */
    bool shared;  /* data share exponents (BFP) */
    uint8_t path; /* the path for an output of the same format */
} unpack_formats[16];

/* Returns the path from FP32; -1 if there is none. For unpack_path_of. */
int unpack_path_of_fp32(unsigned out, bool to_dst);
/* Returns whether data of both formats share exponents of the same size: BFP8, BFP4, BFP2; or BFP8a, BFP4a, BFP2a. */
static inline bool unpack_share_alike(unsigned a, unsigned b) {
    enum { EXPONENT_OF_8_BITS = 4 }; /* bit of the format's number */
    return unpack_formats[a].shared && unpack_formats[b].shared && !((a ^ b) & EXPONENT_OF_8_BITS);
}

/* Returns the path from one format to another; -1 if there is none. INT8 stands for signed and unsigned. e4m3: FP8 has
 * four bits of exponent. */
static inline int unpack_path_of(unsigned in, unsigned out, bool to_dst, bool e4m3) {
    const struct unpack_format *format = &unpack_formats[in];
    if (in == FORMAT_FP32)
        return unpack_path_of_fp32(out, to_dst);
    if ((in != out && !unpack_share_alike(in, out)) || !format->bits || (format->path == UNPACK_WORD && !to_dst))
        return -1;
    return in == FORMAT_FP8 && e4m3 ? UNPACK_E4M3 : format->path;
}

/* Sets the units and the rate of a job. section: the unpacker's section, as words of Config shifted so that the names
 * of unpacker 0's words select it. */
void unpack_speed(const uint32_t *section, struct unpack_job *job, bool tilize);

/* move.c: moves the data of a job */
const char *unpack_move(struct tensix *x, unsigned unpacker, const struct unpack_job *job);

/* nop.c: execute an UNPACK_CLEAR and an UNPACK_POP */
void unpack_clear(struct tensix *x, unsigned unpacker, const struct unpack_job *job);
void unpack_pop(struct tensix *x, const struct unpack_job *job, uint64_t now);

#endif
