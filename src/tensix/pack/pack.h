/* The packer: moves rows of Dst, data of L1 or zeros to L1.
 *
 *     gate -> queue -> Dst, four rows at once -> early conversion, edge mask, ReLU, threshold -> X range, downsampling
 *                      -> compression -> late conversion, shared exponents -> buffers of 16 bytes -> (adder) -> L1
 *
 * issue.c when an instruction passes; address.c what it is going to do, from configuration and counters, which is fixed
 * then, as far as prepare.c has not found it for all that are alike (plan.h); format.c modes and conversions; edge.c
 * positions in the tile, and the masks that follow; queue.c when it does it; move.c the data; compress.c compressed
 * tiles; stream.c the buffers before L1; setreg.c PACR_SETREG.
 *
 * Time. One PACR or PACR_SETREG passes in a cycle, from all threads together; it waits at the gate while the packer is
 * full, or the Matrix Unit has not written the rows yet. The packer takes one after the other, each for as many cycles
 * as L1 needs for its data. What it does, reading Dst included, is done in the last of these; then there is room for
 * another one, and from the next cycle on everybody can see it.
 *
 * Inexact: how many instructions wait in the packer (four here), that the pipeline has no length, that Dst is read as
 * late as L1 is written.
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
#include "numeric/lanes/pack_ways.h"
#include "tensix/plan.h"
#include "tensix/regs/adc.h"
#include "tensix/regs/dst.h"

struct tensix;

enum {
    PACK_JOBS = 4,
    PACK_UNIT = 16,  /* bytes of L1 that are written together */
    PACK_GROUP = 32, /* data between which a compressed tile has their counts of zeros */
};

enum pack_task {
    PACK_MOVE,
    PACK_REGISTER, /* PACR_SETREG: writes a register */
    PACK_HALF,     /* PACR_SETREG: a half of what it writes */
};

enum pack_source { PACK_FROM_DST, PACK_FROM_L1, PACK_FROM_NOTHING };

/* What is read. */
struct pack_input {
    uint8_t source;           /* enum pack_source */
    bool wide;                /* rows of Dst have 32 bits */
    bool masked;              /* not all of them stay as they are */
    uint16_t rows;            /* of 16 data: of Dst up to four */
    uint16_t row[PACK_ROWS];  /* of Dst, as its clients name them */
    uint16_t keep[PACK_ROWS]; /* edge masks: columns that stay */
    uint16_t take;            /* columns that are packed: X range and downsampling */
    uint8_t bytes;            /* L1: of a datum */
    uint32_t address;         /* L1: of the first */
    uint32_t count;           /* L1: of data */
};

/* How data go on behind the early conversion, or behind the buffers that they wait in. */
struct pack_open {
    uint8_t kind; /* enum pack_kind */
    uint8_t out;  /* enum pack_out */
    uint8_t bits; /* of a datum in L1 */
    bool shared;  /* 16 of them have one exponent */
    bool random;  /* rounding */
    bool add, compress;
};

/* What is done to it. */
struct pack_way {
    uint8_t early;      /* enum pack_early; of L1 enum pack_load */
    uint8_t kind;       /* enum pack_kind, behind early */
    uint8_t shift;      /* of integers */
    uint8_t relu;       /* mode */
    uint16_t threshold; /* of ReLU */
    uint8_t below;      /* least exponent that is not zeroed */
    bool narrow;        /* TF32 becomes FP16 behind that */
    bool random;        /* rounding */
    bool as_it_is;      /* none of this */
    bool one_step;      /* nor anything between the early conversion and L1 */
    uint32_t edge;      /* what masked data become */
    struct pack_open open;
};

/* Sections of a tile. */
enum pack_section { PACK_TO, PACK_EXPONENTS, PACK_STARTS, PACK_SECTIONS };

enum pack_pad { PACK_NO_PAD, PACK_PAD_ROWS, PACK_PAD_END };

/* Where it goes. */
struct pack_output {
    uint32_t address[PACK_SECTIONS]; /* bytes */
    bool new[PACK_SECTIONS];         /* the section begins there, else it goes on */
    bool last, flush, concat;
    bool fifo;   /* tells of its tile */
    bool header; /* counts the tile's header too */
    bool flags;  /* tells of compressed rows of zeros */
    uint8_t pad; /* enum pack_pad */
};

/* An instruction in the packer. Where it is in the queue is found by a shift. */
struct pack_job {
    uint64_t end; /* the first cycle that sees what it has done */
    uint32_t word;
    uint8_t task; /* enum pack_task */
    uint8_t thread;
    bool whole;      /* rows of Dst, of which nothing is left out: by pack_plan.rows */
    bool first;      /* it has whole rows, and something begins with it */
    uint32_t cycles; /* that it takes */
    struct pack_input in;
    struct pack_way way;
    struct pack_output out;
} __attribute__((aligned(64)));

/* Bytes on their way to L1, 16 at a time. */
struct pack_stream {
    uint32_t address; /* of the next 16 */
    uint8_t filled;
    uint8_t byte[PACK_UNIT];
};

/* A compressed tile. */
struct pack_compressed {
    struct pack_run run;      /* the row */
    uint16_t data;            /* that have been written since the tile began, but for zeros that are counted */
    uint8_t in_group;         /* of these */
    uint8_t rows;             /* that have ended, up to 32 */
    uint8_t zeros[PACK_UNIT]; /* four bits for each of the group */
};

/* What PACRs of a thread that are alike have in common (plan.h, prepare.c). */
struct pack_plan {
    struct plan of;
    bool rows;    /* run: whole rows of Dst, of which nothing is left out or compressed (pack_run_rows) */
    uint32_t row; /* of these, with all counters 0 */
    uint32_t y_rows, z_rows, w_rows; /* from one to the next */
    uint8_t plane;                   /* rows of one */
    uint8_t size;                    /* of a datum, by In_data_format: log2 of bytes */
    bool edges;                      /* there are data that do not stay as they are */
    bool exponents;                  /* tiles have a section for them */
    struct pack_job job;             /* all but rows, addresses, and what instructions say themselves */
};

struct pack {
    uint64_t due;     /* the next cycle in which something happens here; TENSIX_NEVER: none */
    uint64_t free_at; /* from this cycle on it has nothing to do */
    uint64_t gate_at; /* before it no instruction passes */
    uint8_t first, count;
    struct pack_job job[PACK_JOBS];

    /* Of the address generators: */
    uint8_t position, plane;    /* in the tile, of the next row */
    bool placed[PACK_SECTIONS]; /* the section has begun */

    /* Of the data: */
    struct pack_open open;
    struct pack_stream stream[PACK_SECTIONS];
    union pack_data rest; /* data that share an exponent and are less than 16 yet */
    uint8_t rests;
    struct pack_compressed compressed;
    uint32_t packed;              /* data since the tile began */
    uint32_t units;               /* of L1 that have been written since then */
    uint32_t register_data;       /* of PACR_SETREG */
    uint32_t random[2][PACK_ROW]; /* early and late */
};

void pack_init(struct pack *pack);
/* Does what is due in cycle `now`. */
void pack_step(struct tensix *x, uint64_t now);
/* The packer enters soft reset: what it has is forgotten. */
void pack_abort(struct tensix *x, uint64_t now);
/* The packer's side of Dst leaves it. */
void pack_leave_dst(struct pack *pack);

/* ---- Inside ---------------------------------------------------------------------------------------------------------
 */

/* What is not defined, or not modelled, about an instruction; text NULL: nothing. */
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

/* issue.c: 0, or when to try again. */
uint64_t pack_enter(struct tensix *x, unsigned thread, uint64_t now);
/* How long it takes to move its data. */
unsigned pack_cycles(const struct pack_job *job);
/* The PACR_SETREG in the next place is there from now on. */
void pack_queue_register(struct tensix *x, struct pack_job *job, uint64_t now);

/* What PACRs differ in under one plan: AddrMode, Concat and Last. */
enum { PACK_OWN_BITS = 3 << 15 | 1 << 4 | 1 };

static inline uint64_t pack_key(unsigned thread, uint32_t word) {
    return (uint64_t)thread << 32 | (word & ~(uint32_t)PACK_OWN_BITS);
}

/* prepare.c: sets the plan for a PACR and all that are like it. */
struct pack_refusal pack_prepare(struct tensix *x, unsigned thread, uint32_t word);

/* Its job, if the plan has whole rows. False: X or Y do not name such. */
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

/* Is a tile of which nothing is compressed under way? */
static inline bool pack_is_placed(const struct pack *pack, const struct pack_plan *plan) {
    return pack->placed[PACK_TO] && (!plan->exponents || pack->placed[PACK_EXPONENTS]);
}

/* address.c: fills in the job of a PACR for which the plan holds. */
struct pack_refusal pack_run(struct tensix *x, uint32_t word, const struct adc *adc, struct pack_job *job);

/* edge.c: sets masks of rows. */
bool pack_has_edges(const uint32_t *config);
void pack_edges(const struct pack *pack, const uint32_t *config, struct pack_input *in);

/* So many rows have been read, of planes of this size. */
static inline void pack_move_position(struct pack *pack, unsigned rows, unsigned plane) {
    pack->position = (uint8_t)(pack->position + rows);
    if (pack->position == plane) {
        pack->position = 0;
        pack->plane = (pack->plane + 1) & 15;
    }
}

/* format.c */
struct pack_refusal pack_choose_way(const struct pack_kernels *kernels, const uint32_t *config, unsigned source,
                                    bool edges, struct pack_way *way);

/* The place of the i-th instruction. */
static inline struct pack_job *pack_job_at(struct pack *pack, unsigned i) {
    return &pack->job[(pack->first + i) % PACK_JOBS];
}
/* An instruction that moves data. */
struct pack_turn {
    struct tensix *x;
    const struct pack_kernels *kernels;
    const struct pack_job *job;
    uint64_t now;
    const char *bad; /* what is undefined about it */
};

/* move.c */
void pack_move(struct tensix *x, const struct pack_job *job, uint64_t now);
void pack_empty(struct tensix *x, const struct pack_job *job, uint64_t now);
/* Data behind selection and compression. */
void pack_emit(struct pack_turn *turn, const union pack_data *data, unsigned count);

/* compress.c: the next data of a row, the last ones if so said; the end of a row that has got no more; the end of a
 * tile. */
void pack_begin_compressed(struct pack_turn *turn);
void pack_put_compressed(struct pack_turn *turn, const union pack_data *data, unsigned count, bool last);
void pack_end_compressed(struct pack_turn *turn);

/* stream.c: bytes to the buffer, and what is in it with zeros behind. add: NULL to write. */
void pack_put(struct pack_turn *turn, struct pack_stream *stream, const uint8_t *bytes, unsigned size,
              pack_add_pieces *add);
void pack_fill(struct pack_turn *turn, struct pack_stream *stream, pack_add_pieces *add);

/* setreg.c */
bool pack_write_register(struct tensix *x, const struct pack_job *job, uint64_t now);
void pack_set_half(struct pack *pack, uint32_t word);

#endif
