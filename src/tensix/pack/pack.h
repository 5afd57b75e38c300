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
 * Time. One PACR or PACR_SETREG of all threads passes in a cycle. It is held at the gate while the packer is full, or
 * the Matrix Unit has not written the rows yet; what it is going to do is fixed when it passes. The packer executes one
 * job after the other, each for as many cycles as L1 needs for its data. All effects, reading Dst included, happen in
 * the last of these cycles, which also makes room for another job, and are visible from the next cycle on.
 *
 * Inexact: the packer queues four instructions, its pipeline has no length, and Dst is read as late as L1 is written.
 *
 * Sources: PACR.md, Dst.md, SoftReset.md (BH), the pages of Packers, PACR_SETREG.md, ADCs.md, L1.md, TDMA-RISC.md (WH,
 * with their Blackhole branches); tt-llk's assembly.yaml for RowPadZero, ZeroWrite, CtxtCtrl and Blackhole's
 * PACR_SETREG.
 */
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
    PACK_GROUP = 32, /* data of a compressed tile that share a block of counts */
};

enum pack_task {
    PACK_MOVE,
    PACK_REGISTER, /* PACR_SETREG: writes a register */
    PACK_HALF,     /* PACR_SETREG: a half of what it writes */
};

enum pack_source { PACK_FROM_DST, PACK_FROM_L1, PACK_FROM_NOTHING };

/* The source. */
struct pack_input {
    uint8_t source;           /* enum pack_source */
    bool wide;                /* rows of Dst have 32 bits */
    bool masked;              /* edge masks replace some data */
    uint16_t rows;            /* rows of 16 data; of Dst up to four */
    uint16_t row[PACK_ROWS];  /* of Dst, as clients number them */
    uint16_t keep[PACK_ROWS]; /* edge masks: columns that stay */
    uint16_t take;            /* columns that are packed: X range and downsampling */
    uint8_t bytes;            /* L1: size of a datum */
    uint32_t address;         /* L1: of the first datum */
    uint32_t count;           /* L1: number of data */
};

/* The path behind the early conversion. Data in the buffers keep it when the next instruction has another one. */
struct pack_open {
    uint8_t kind; /* enum pack_kind */
    uint8_t out;  /* enum pack_out */
    uint8_t bits; /* of a datum in L1 */
    bool shared;  /* 16 of them have one exponent */
    bool random;  /* rounding */
    bool add, compress;
};

/* The path of a datum. */
struct pack_path {
    uint8_t early;      /* enum pack_early; of L1 enum pack_load */
    uint8_t kind;       /* enum pack_kind, behind early */
    uint8_t shift;      /* of integers */
    uint8_t relu;       /* mode */
    uint16_t threshold; /* of ReLU */
    uint8_t below;      /* least exponent that is not zeroed */
    bool narrow;        /* TF32 becomes FP16 before the late conversion */
    bool random;        /* rounding */
    bool as_it_is;      /* nothing between the conversions changes data */
    bool one_step;      /* the early conversion gives the data in L1 */
    uint32_t edge;      /* replaces masked data */
    struct pack_open open;
};

/* Sections of a tile. */
enum pack_section { PACK_TO, PACK_EXPONENTS, PACK_STARTS, PACK_SECTIONS };

enum pack_pad { PACK_NO_PAD, PACK_PAD_ROWS, PACK_PAD_END };

/* The destination. */
struct pack_output {
    uint32_t address[PACK_SECTIONS]; /* bytes */
    bool new[PACK_SECTIONS];         /* the section begins at `address`; else it continues */
    bool last, flush, concat;
    bool fifo;   /* pushes the tile's size to the FIFO */
    bool header; /* the size includes the tile's header */
    bool flags;  /* sets flags of compressed rows of zeros */
    uint8_t pad; /* enum pack_pad */
};

/* An instruction in the packer. Aligned, so that a shift gives its index in the queue. */
struct pack_job {
    uint64_t end; /* first cycle that sees its effects */
    uint32_t word;
    uint8_t task; /* enum pack_task */
    uint8_t thread;
    bool whole;      /* whole rows of Dst, by pack_plan.rows */
    bool first;      /* whole rows, and a section begins with it */
    uint32_t cycles; /* in the packer */
    struct pack_input in;
    struct pack_path path;
    struct pack_output out;
} __attribute__((aligned(64)));

/* A buffer of bytes for L1, written 16 at a time. */
struct pack_stream {
    uint32_t address; /* of the next 16 */
    uint8_t filled;
    uint8_t byte[PACK_UNIT];
};

/* A compressed tile. */
struct pack_compressed {
    struct pack_run run;      /* the row */
    uint16_t data;            /* written since the tile began, without counted zeros */
    uint8_t in_group;         /* data of the present group */
    uint8_t rows;             /* rows that have ended, up to 32 */
    uint8_t zeros[PACK_UNIT]; /* counts of the group, four bits each */
};

/* The plan of PACRs (plan.h, prepare.c). */
struct pack_plan {
    struct plan of;
    bool rows;                       /* whole rows of Dst, not compressed (pack_run_rows) */
    uint32_t row;                    /* the first row, with all counters 0 */
    uint32_t y_rows, z_rows, w_rows; /* rows that a step of Y, Z, W adds */
    uint8_t plane;                   /* rows of a plane */
    uint8_t size;                    /* of a datum, by In_data_format: log2 of bytes */
    bool edges;                      /* there are edge masks */
    bool exponents;                  /* tiles have a section of exponents */
    struct pack_job job;             /* without rows, addresses and PACK_OWN_BITS */
};

struct pack {
    uint64_t due;     /* next cycle in which pack_step has work; TENSIX_NEVER: none */
    uint64_t free_at; /* first cycle in which the packer is idle */
    uint64_t gate_at; /* no instruction passes before this cycle */
    uint8_t first, count;
    struct pack_job job[PACK_JOBS];

    /* Of the address generators: */
    uint8_t position, plane;    /* in the tile, of the next row */
    bool placed[PACK_SECTIONS]; /* the section has begun */

    /* Of the data: */
    struct pack_open open;
    struct pack_stream stream[PACK_SECTIONS];
    union pack_data rest; /* fewer than 16 data that share an exponent */
    uint8_t rests;
    struct pack_compressed compressed;
    uint32_t packed;              /* data since the tile began */
    uint32_t units;               /* 16-byte units of L1 written since then */
    uint32_t register_data;       /* of PACR_SETREG */
    uint32_t random[2][PACK_ROW]; /* generators of the early and the late conversion */
};

void pack_init(struct pack *pack);
/* Does the work that is due in cycle `now`. */
void pack_step(struct tensix *x, uint64_t now);
/* Drops all jobs and data: the packer enters soft reset. */
void pack_abort(struct tensix *x, uint64_t now);
/* Releases the packer's side of Dst from soft reset. */
void pack_leave_dst(struct pack *pack);

/* ---- Inside ---------------------------------------------------------------------------------------------------------
 */

/* Why an instruction is refused: undefined or not modelled. text: NULL if it is not refused. */
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

/* issue.c. Returns 0 if the packer accepts a word now; else as a handler. */
uint64_t pack_enter(struct tensix *x, unsigned thread, uint64_t now);
/* Returns the cycles that L1 needs for the job's data. */
unsigned pack_cycles(const struct pack_job *job);
/* Queues the PACR_SETREG whose job has been filled in at the end of the queue. */
void pack_queue_register(struct tensix *x, struct pack_job *job, uint64_t now);

/* Fields that may differ between PACRs of one plan: AddrMode, Concat and Last. */
enum { PACK_OWN_BITS = 3 << 15 | 1 << 4 | 1 };

static inline uint64_t pack_key(unsigned thread, uint32_t word) {
    return (uint64_t)thread << 32 | (word & ~(uint32_t)PACK_OWN_BITS);
}

/* prepare.c: makes the plan of a PACR. */
struct pack_refusal pack_prepare(struct tensix *x, unsigned thread, uint32_t word);

/* Fills in the job of a PACR if the plan has whole rows. Returns false if the counters do not select whole rows. */
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

/* address.c: fills in the job of a PACR for which the plan holds. */
struct pack_refusal pack_run(struct tensix *x, uint32_t word, const struct adc *adc, struct pack_job *job);

/* edge.c: sets masks of rows. */
bool pack_has_edges(const uint32_t *config);
void pack_edges(const struct pack *pack, const uint32_t *config, struct pack_input *in);

/* Advances the position by rows that have been read, in planes of this size. */
static inline void pack_move_position(struct pack *pack, unsigned rows, unsigned plane) {
    pack->position = (uint8_t)(pack->position + rows);
    if (pack->position == plane) {
        pack->position = 0;
        pack->plane = (pack->plane + 1) & 15;
    }
}

/* format.c */
struct pack_refusal pack_choose_path(const struct pack_kernels *kernels, const uint32_t *config, unsigned source,
                                     bool edges, struct pack_path *path);

/* Returns the i-th job of the queue. */
static inline struct pack_job *pack_job_at(struct pack *pack, unsigned i) {
    return &pack->job[(pack->first + i) % PACK_JOBS];
}
/* An instruction that moves data. */
struct pack_turn {
    struct tensix *x;
    const struct pack_kernels *kernels;
    const struct pack_job *job;
    uint64_t now;
    const char *bad; /* why it is undefined, or NULL */
};

/* move.c */
void pack_move(struct tensix *x, const struct pack_job *job, uint64_t now);
void pack_empty(struct tensix *x, const struct pack_job *job, uint64_t now);
/* Takes data behind selection and compression. */
void pack_emit(struct pack_turn *turn, const union pack_data *data, unsigned count);

/* compress.c: begin a tile; add data of a row; end a row without more data; end a tile. */
void pack_begin_compressed(struct pack_turn *turn);
void pack_put_compressed(struct pack_turn *turn, const union pack_data *data, unsigned count, bool last);
void pack_end_compressed(struct pack_turn *turn);

/* stream.c: pack_put adds bytes to a buffer; pack_fill writes its rest, padded with zeros. add: NULL to write. */
void pack_put(struct pack_turn *turn, struct pack_stream *stream, const uint8_t *bytes, unsigned size,
              pack_add_pieces *add);
void pack_fill(struct pack_turn *turn, struct pack_stream *stream, pack_add_pieces *add);

/* setreg.c */
bool pack_write_register(struct tensix *x, const struct pack_job *job, uint64_t now);
void pack_set_half(struct pack *pack, uint32_t word);

#endif
