/* The packer: moves rows of Dst, data of L1 or zeros to L1.
 *
 *     gate -> queue -> Dst, four rows at once -> early conversion, edge mask, ReLU, threshold -> X range, downsampling
 *                      -> compression -> late conversion, shared exponents -> buffers of 16 bytes -> (adder) -> L1
 *
 *     issue.c      when an instruction passes         queue.c     when a job is executed
 *     prepare.c    plans (plan.h)                     move.c      the data
 *     address.c    jobs: rows, addresses, modes       compress.c  compressed tiles
 *     format.c     modes and conversions              stream.c    the buffers before L1
 *     edge.c       positions in the tile, masks       setreg.c    PACR_SETREG
 *
 * Time. All threads together pass one PACR or PACR_SETREG a cycle. It is held at the gate while the packer is full, or
 * while the Matrix Unit is still writing the rows; what it is going to do is fixed when it passes. The packer executes
 * one job after the other, each for as many cycles as L1 needs for its data. All effects, reading Dst included, happen
 * in the last of these cycles, which also makes room for another job. They are visible from the next cycle on.
 *
 * Inexact: the packer queues four instructions, its pipeline has no length, and Dst is read as late as L1 is written.
 *
 * Sources: PACR.md, Dst.md, SoftReset.md (BH), the pages of Packers, PACR_SETREG.md, ADCs.md, L1.md, TDMA-RISC.md (WH,
 * with their Blackhole branches); tt-llk's assembly.yaml for RowPadZero, ZeroWrite, CtxtCtrl and Blackhole's
 * PACR_SETREG. */
#ifndef TENSIX_PACK_PACK_H
#define TENSIX_PACK_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/config.h"
#include "isa/tensix.h"
#include "numeric/lanes/pack_paths.h"
#include "tensix/plan.h"
#include "tensix/regs/adc.h"
#include "tensix/regs/dst.h"

struct tensix;

enum {
    PACK_JOBS = 4,
    PACK_UNIT = 16,  /* bytes of L1 that are written together */
    PACK_GROUP = 32, /* data of a compressed tile that are followed by one block of counts */
};

enum pack_task {
    PACK_MOVE,
    PACK_REGISTER, /* PACR_SETREG: writes a register */
    PACK_HALF,     /* PACR_SETREG: sets half of the value to write */
};

enum pack_source { PACK_FROM_DST, PACK_FROM_L1, PACK_FROM_NOTHING };

/* The source of a job. */
struct pack_input {
    uint8_t source;           /* enum pack_source */
    bool wide;                /* rows of Dst have 32 bits */
    bool masked;              /* edge masks replace some of the data */
    uint16_t rows;            /* number of rows of 16 data; at most four of Dst */
    uint16_t row[PACK_ROWS];  /* row numbers in Dst, as clients number them */
    uint16_t keep[PACK_ROWS]; /* edge masks: columns to keep */
    uint16_t take;            /* columns to pack, from X range and downsampling */
    uint8_t bytes;            /* from L1: size of a datum */
    uint32_t address;         /* from L1: address of the first datum */
    uint32_t count;           /* from L1: number of data */
};

/* The part of the path after the early conversion. Data in the buffers keep it if the next instruction has another. */
struct pack_open {
    uint8_t kind; /* enum pack_kind */
    uint8_t out;  /* enum pack_out */
    uint8_t bits; /* size of a datum in L1 */
    bool shared;  /* 16 data share one exponent */
    bool random;  /* stochastic rounding */
    bool add, compress;
};

/* The path of a datum. */
struct pack_path {
    uint8_t early;      /* enum pack_early; for data of L1, enum pack_load */
    uint8_t kind;       /* enum pack_kind, after the early conversion */
    uint8_t shift;      /* of integers (INT_DESCALE) */
    uint8_t relu;       /* mode of ReLU */
    uint16_t threshold; /* threshold of ReLU */
    uint8_t below;      /* exponents below this one become zero */
    bool narrow;        /* TF32 becomes FP16 before the late conversion */
    bool random;        /* stochastic rounding */
    bool as_it_is;      /* no step between the conversions changes data */
    bool one_step;      /* the early conversion alone produces the bytes in L1 */
    uint32_t edge;      /* value that replaces masked data */
    struct pack_open open;
};

/* Sections of a tile. */
enum pack_section { PACK_TO, PACK_EXPONENTS, PACK_STARTS, PACK_SECTIONS };

enum pack_pad { PACK_NO_PAD, PACK_PAD_ROWS, PACK_PAD_END };

/* The destination of a job. */
struct pack_output {
    uint32_t address[PACK_SECTIONS]; /* in bytes */
    bool new[PACK_SECTIONS];         /* the section begins at `address` with this job; else it continues */
    bool last, flush, concat;
    bool fifo;   /* push the tile's size to the FIFO */
    bool header; /* include the tile's header in the size */
    bool flags;  /* set flags for compressed rows that are all zeros */
    uint8_t pad; /* enum pack_pad */
};

/* An instruction in the packer. Aligned to a power of two, so that a shift gives its index in the queue. */
struct pack_job {
    uint64_t end; /* first cycle in which its effects are visible */
    uint32_t word;
    uint8_t task; /* enum pack_task */
    uint8_t thread;
    bool whole;      /* whole rows of Dst (pack_plan.rows) */
    bool first;      /* whole rows, and a section begins with this job */
    uint32_t cycles; /* time in the packer */
    struct pack_input in;
    struct pack_path path;
    struct pack_output out;
} __attribute__((aligned(64)));

/* A buffer of bytes on their way to L1, which are written 16 at a time. */
struct pack_stream {
    uint32_t address; /* address of the next 16 bytes */
    uint8_t filled;
    uint8_t byte[PACK_UNIT];
};

/* The state of a compressed tile. */
struct pack_compressed {
    struct pack_run run;      /* state of the row */
    uint16_t data;            /* data written since the tile began; counted zeros are not included */
    uint8_t in_group;         /* data in the present group */
    uint8_t rows;             /* rows that have ended; the count stops at 32 */
    uint8_t zeros[PACK_UNIT]; /* the counts of the present group, four bits each */
};

/* The plan of a thread's PACRs (plan.h, prepare.c). */
struct pack_plan {
    struct plan of;
    bool rows;                       /* whole rows of Dst without compression (pack_run_rows) */
    uint32_t row;                    /* the first row if all counters are 0 */
    uint32_t y_rows, z_rows, w_rows; /* the rows by which a step of Y, Z or W advances */
    uint8_t plane;                   /* number of rows in a plane */
    uint8_t size;                    /* size of a datum by In_data_format, as log2 of bytes */
    bool edges;                      /* there are edge masks */
    bool exponents;                  /* tiles have a section of exponents */
    struct pack_job job;             /* the job, except for rows, addresses and PACK_OWN_BITS */
};

struct pack {
    uint64_t due;     /* next cycle in which pack_step has work; TENSIX_NEVER: none */
    uint64_t free_at; /* first cycle in which the packer is idle */
    uint64_t gate_at; /* no instruction passes before this cycle */
    uint8_t first, count;
    struct pack_job job[PACK_JOBS];

    /* The state of the address generators: */
    uint8_t position, plane;    /* position of the next row in the tile */
    bool placed[PACK_SECTIONS]; /* the section has begun, and its address is known */

    /* The state of the data: */
    struct pack_open open;
    struct pack_stream stream[PACK_SECTIONS];
    union pack_data rest; /* data that share an exponent and are fewer than 16 as yet */
    uint8_t rests;
    struct pack_compressed compressed;
    uint32_t packed;              /* number of data since the tile began */
    uint32_t units;               /* 16-byte units written to L1 since the tile began */
    uint32_t register_data;       /* the value that PACR_SETREG writes */
    uint32_t random[2][PACK_ROW]; /* random states of the early and the late conversion */
};

void pack_init(struct pack *pack);
/* Does the work that is due. Precondition: pack.due is `now`. */
void pack_step(struct tensix *x, uint64_t now);
/* Discards all jobs and data. For the soft reset of the packer. */
void pack_abort(struct tensix *x, uint64_t now);
/* Takes the packer's side of Dst out of soft reset. */
void pack_leave_dst(struct pack *pack);

/* ---- Inside ----------------------------------------------------------------------------------------------------- */

/* Why an instruction is refused, and whether it is undefined or not modelled. text: NULL if it is not refused. */
struct pack_refusal {
    enum bh_fault_kind kind;
    const char *text;
};

static inline struct pack_refusal pack_undefined(const char *text) {
    return (struct pack_refusal){ BH_FAULT_UNDEFINED, text };
}

static inline struct pack_refusal pack_unmodelled(const char *text) {
    return (struct pack_refusal){ BH_FAULT_UNMODELLED, text };
}

static inline struct pack_refusal pack_fine(void) {
    return (struct pack_refusal){ .text = NULL };
}

/* issue.c. Returns 0 if the packer can accept a word now; else holds the word and returns as a handler does. */
uint64_t pack_enter(struct tensix *x, unsigned thread, uint64_t now);
/* Returns the number of cycles that L1 needs for the job's data. */
unsigned pack_cycles(const struct pack_job *job);
/* Queues a PACR_SETREG. Precondition: the caller has filled in the job in the free slot at the end of the queue. */
void pack_queue_register(struct tensix *x, struct pack_job *job, uint64_t now);

/* PACRs that differ only in these fields share a plan: AddrMode, Concat and Last. */
enum { PACK_OWN_BITS = 3 << 15 | 1 << 4 | 1 };

static inline uint64_t pack_key(unsigned thread, uint32_t word) {
    return (uint64_t)thread << 32 | (word & ~(uint32_t)PACK_OWN_BITS);
}

/* prepare.c: makes the plan for a PACR and others like it. */
struct pack_refusal pack_prepare(struct tensix *x, unsigned thread, uint32_t word);

/* Fills in the job of a PACR from the plan. Returns false if the counters do not select whole rows. Precondition:
 * plan->rows. */
static inline bool pack_run_rows(const struct pack_plan *plan, uint32_t word, const struct adc *adc,
                                 struct pack_job *job) {
    const uint32_t *counter = adc->channel[0].value;
    unsigned row =
        plan->row + counter[ADC_Y] * plan->y_rows + counter[ADC_Z] * plan->z_rows + counter[ADC_W] * plan->w_rows;
    if (counter[ADC_X] || adc->channel[1].value[ADC_X] != PACK_ROW - 1 ||
        row % PACK_ROWS + plan->job.in.rows > PACK_ROWS)
        return false;
    *job = plan->job;
    for (unsigned i = 0; i < PACK_ROWS; i++)
        job->in.row[i] = (uint16_t)(row % DST_ROWS + i);
    job->word = word;
    job->out.last = word & 1;
    job->out.concat = word >> 4 & 1;
    return true;
}

/* Returns whether all sections of an uncompressed tile have begun. */
static inline bool pack_is_placed(const struct pack *pack, const struct pack_plan *plan) {
    return pack->placed[PACK_TO] && (!plan->exponents || pack->placed[PACK_EXPONENTS]);
}

/* address.c: fills in the job of a PACR. Precondition: the plan is for this PACR. */
struct pack_refusal pack_run(struct tensix *x, uint32_t word, const struct adc *adc, struct pack_job *job);

/* edge.c: pack_has_edges returns whether masks can apply; pack_edges sets the masks of the rows in *in. */
bool pack_has_edges(const uint32_t *config);
void pack_edges(const struct pack *pack, const uint32_t *config, struct pack_input *in);

/* Advances the position by `rows` that have been read. plane: the number of rows in a plane. */
static inline void pack_move_position(struct pack *pack, unsigned rows, unsigned plane) {
    pack->position = (uint8_t)(pack->position + rows);
    if (pack->position == plane) {
        pack->position = 0;
        pack->plane = (pack->plane + 1) & 15;
    }
}

/* format.c: works out the path of a datum */
struct pack_refusal pack_choose_path(const struct pack_kernels *kernels, const uint32_t *config, unsigned source,
                                     bool edges, struct pack_path *path);

/* Returns the i-th job of the queue. */
static inline struct pack_job *pack_job_at(struct pack *pack, unsigned i) {
    return &pack->job[(pack->first + i) % PACK_JOBS];
}
/* An instruction while the packer executes it. */
struct pack_turn {
    struct tensix *x;
    const struct pack_kernels *kernels;
    const struct pack_job *job;
    uint64_t now;
    const char *bad; /* why the instruction is undefined, or NULL */
};

/* move.c: executes a PACR */
void pack_move(struct tensix *x, const struct pack_job *job, uint64_t now);
void pack_empty(struct tensix *x, const struct pack_job *job, uint64_t now);
/* Converts data that have passed selection and compression, and adds them to the buffers. */
void pack_emit(struct pack_turn *turn, const union pack_data *data, unsigned count);

/* compress.c: begin a tile; add data of a row, or end a row without more data; end a tile. */
void pack_begin_compressed(struct pack_turn *turn);
void pack_put_compressed(struct pack_turn *turn, const union pack_data *data, unsigned count, bool last);
void pack_end_compressed(struct pack_turn *turn);

/* stream.c: pack_put adds bytes to a buffer; pack_fill writes what is left in it, padded with zeros. add: the adder for
 * L1, or NULL to overwrite. */
void pack_put(struct pack_turn *turn, struct pack_stream *stream, const uint8_t *bytes, unsigned size,
              pack_add_pieces *add);
void pack_fill(struct pack_turn *turn, struct pack_stream *stream, pack_add_pieces *add);

/* setreg.c: execute a PACR_SETREG. pack_write_register returns false if the register cannot be written yet. */
bool pack_write_register(struct tensix *x, const struct pack_job *job, uint64_t now);
void pack_set_half(struct pack *pack, uint32_t word);

#endif
