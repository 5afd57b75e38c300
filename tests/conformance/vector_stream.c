/* Pushing instructions of the Vector Unit. */
#include "vector_stream.h"

#include "draw.h"

enum { DST_ROWS = 1024 };

static unsigned nibble(uint32_t word, unsigned low) {
    return word >> low & 15;
}

/* LRegs that an instruction reads without the automatic stall seeing it. The halves that SFPLOADI and SFPLOAD leave
 * alone count as read: the documents do not say. */
static uint32_t missed_reads(uint32_t word) {
    uint32_t vb = 1u << nibble(word, 12), vc = 1u << nibble(word, 8), vd = 1u << nibble(word, 4);
    switch (word >> 24) {
    case TENSIX_SFPAND:
    case TENSIX_SFPOR: return word & 1 ? vb : 0;
    case TENSIX_SFPIADD:
    case TENSIX_SFPSHFT: return vd;
    case TENSIX_SFPCONFIG: return 1;
    case TENSIX_SFPSWAP: return vc | vd;
    case TENSIX_SFPSHFT2: return vb | vc;
    case TENSIX_SFPLOAD: return nibble(word, 16) >= 14 ? 1u << nibble(word, 20) : 0;
    case TENSIX_SFPLOADI: return nibble(word, 16) >= 8 ? 1u << nibble(word, 20) : 0;
    default: return 0;
    }
}

static uint32_t written_late(uint32_t word) {
    switch (word >> 24) {
    case TENSIX_SFPMULI:
    case TENSIX_SFPADDI:
    case TENSIX_SFPMAD:
    case TENSIX_SFPADD:
    case TENSIX_SFPMUL:
    case TENSIX_SFPMUL24:
    case TENSIX_SFPLUTFP32: return 1u << nibble(word, 4);
    case TENSIX_SFPLUT: return 1u << nibble(word, 20);
    default: return 0;
    }
}

static void push_word(struct vector_stream *s, uint32_t word) {
    emit(&s->g, s->g.stream[s->thread].core, tensix_to_stream(word));
}

void vector_push(struct vector_stream *s, uint32_t word) {
    if (s->late & missed_reads(word)) {
        unsigned item = s->g.item;
        s->g.item = 0; /* never left out */
        push_word(s, VT(SFPNOP, 0));
        s->g.item = item;
    }
    push_word(s, word);
    s->late = written_late(word);
}

unsigned vector_item(struct vector_stream *s) {
    return s->g.item = ++s->g.program->items;
}

void vector_sum(struct vector_stream *s, unsigned lreg) {
    if (draw(&s->g, 2))
        vector_push(s, VT(SFPIADD, .lreg_c = lreg, .lreg_dest = SUM, .instr_mod1 = 4));
    else
        vector_push(s, VT(SFPXOR, .lreg_c = lreg, .lreg_dest = SUM));
}

void vector_constant(struct vector_stream *s, unsigned lreg, uint32_t value) {
    enum { BF16 = 0, HIGH = 8, LOW = 10 };
    if (!(value & 0xFFFF)) {
        vector_push(s, VT(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = BF16, .imm16 = value >> 16));
        return;
    }
    vector_push(s, VT(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = HIGH, .imm16 = value >> 16));
    vector_push(s, VT(SFPLOADI, .lreg_ind = lreg, .instr_mod0 = LOW, .imm16 = value & 0xFFFF));
}

/* The immediate that leads to a row. */
static uint32_t dst_address(const struct vector_stream *s, unsigned row) {
    return (row - s->row - s->row_offset) % DST_ROWS;
}

static void step_rows(struct vector_stream *s, unsigned mode) {
    const struct dst_step *step = &s->step[mode];
    if (step->save) {
        s->row = s->saved_row = (s->row + step->increment) % DST_ROWS;
    } else if (step->clear) {
        s->row = s->saved_row = 0;
    } else if (step->from_saved) {
        s->row = s->saved_row = (s->saved_row + step->increment) % DST_ROWS;
    } else {
        s->row = (s->row + step->increment) % DST_ROWS;
    }
}

void vector_load(struct vector_stream *s, unsigned lreg, unsigned format, unsigned mode, unsigned row) {
    vector_push(s, VT(SFPLOAD, .lreg_ind = lreg, .instr_mod0 = format, .sfpu_addr_mode = mode,
                      .dest_reg_addr = dst_address(s, row)));
    step_rows(s, mode);
}

void vector_store(struct vector_stream *s, unsigned lreg, unsigned format, unsigned mode, unsigned row) {
    vector_push(s, VT(SFPSTORE, .lreg_ind = lreg, .instr_mod0 = format, .sfpu_addr_mode = mode,
                      .dest_reg_addr = dst_address(s, row)));
    step_rows(s, mode);
}
