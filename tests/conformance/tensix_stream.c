/* Pushing, and the distances that the documents ask for. */
#include "tensix_stream.h"

#include "draw.h"
#include "isa/tensix.h"
#include "support/rv.h"

enum {
    GPR_DISTANCE = 10, /* RDCFG: two stages, and the last one may have to wait for the port */
    WORD_DISTANCE = 3, /* WRCFG and CFGSHIFTMASK: two stages */
    QUEUE_LIMIT = 300,
};
#define TENSIX_NOP 0x02000000u

unsigned draw(struct generator *g, unsigned limit) {
    return draw_below(&g->state, limit);
}

void emit(struct generator *g, struct generated_part *part, uint32_t word) {
    part->item[part->count] = (uint16_t)g->item;
    part->word[part->count++] = word;
}

void emit_constant(struct generator *g, struct generated_part *part, unsigned reg, uint32_t value) {
    emit(g, part, rv_lui(reg, rv_high(value)));
    emit(g, part, rv_addi(reg, reg, rv_low(value)));
}

static void push_store(struct generator *g, struct generated_part *part, unsigned base, uint32_t word) {
    unsigned reg = TEMP + draw(g, 5);
    emit_constant(g, part, reg, word);
    emit(g, part, rv_sw(reg, 0, base));
}

void push(struct generator *g, unsigned thread, uint32_t word) {
    static const uint8_t window[THREADS] = { PUSH_BASE, PUSH1_BASE, PUSH2_BASE };
    struct stream *stream = &g->stream[thread];
    bool inlined = draw(g, 3) > 0;
    if (g->by_brisc && !(inlined && thread == 0))
        push_store(g, g->brisc, window[thread], word);
    else if (g->by_brisc)
        emit(g, g->brisc, tensix_to_stream(word));
    else if (inlined)
        emit(g, stream->core, tensix_to_stream(word));
    else
        push_store(g, stream->core, PUSH_BASE, word);
    stream->now++;
    stream->queued++;
}

static void wait_until(struct generator *g, unsigned thread, unsigned ready) {
    unsigned item = g->item;
    g->item = 0; /* never left out */
    while (g->stream[thread].now < ready)
        push(g, thread, TENSIX_NOP);
    g->item = item;
}

void settle_gpr(struct generator *g, unsigned thread, unsigned reg) {
    wait_until(g, thread, g->stream[thread].gpr_ready[reg]);
}
void settle_word(struct generator *g, unsigned thread, unsigned word) {
    wait_until(g, thread, g->stream[thread].word_ready[word]);
}
void settle(struct generator *g, unsigned thread) {
    wait_until(g, thread, g->stream[thread].all_ready);
}

static void lands(struct stream *stream, unsigned *ready, unsigned distance) {
    *ready = stream->now + distance;
    if (*ready > stream->all_ready)
        stream->all_ready = *ready;
}
void lands_in_gpr(struct generator *g, unsigned thread, unsigned reg) {
    lands(&g->stream[thread], &g->stream[thread].gpr_ready[reg], GPR_DISTANCE);
}
void lands_in_word(struct generator *g, unsigned thread, unsigned word) {
    lands(&g->stream[thread], &g->stream[thread].word_ready[word], WORD_DISTANCE);
}

void consume(struct generator *g, struct generated_part *part, unsigned reg) {
    emit(g, part, rv_addi(reg, reg, 0));
}

void sync(struct generator *g, unsigned thread) {
    enum { DONE_CHECK = 4 };
    struct stream *stream = &g->stream[thread];
    unsigned item = g->item;
    g->item = 0;
    emit(g, stream->core, rv_sw(0, DONE_CHECK, SYNC_BASE));
    emit(g, stream->core, rv_lw(TEMP, DONE_CHECK, SYNC_BASE));
    consume(g, stream->core, TEMP);
    g->item = item;
    stream->queued = 0;
    stream->now = stream->all_ready > stream->now ? stream->all_ready : stream->now;
}

void make_room(struct generator *g, unsigned thread, unsigned count) {
    if (g->stream[thread].queued + count > QUEUE_LIMIT && !g->by_brisc)
        sync(g, thread);
}

void store_and_read_back(struct generator *g, struct generated_part *part, unsigned reg, int32_t offset,
                         unsigned base) {
    emit(g, part, rv_sw(reg, offset, base));
    emit(g, part, rv_lw(TEMP, offset, base));
    consume(g, part, TEMP);
}

void emit_copy(struct generator *g, struct generated_part *part, unsigned to, int32_t to_offset, unsigned from,
               int32_t from_offset, unsigned words) {
    emit(g, part, rv_addi(TEMP, 0, (int32_t)words));
    emit(g, part, rv_addi(TEMP + 1, from, from_offset));
    emit(g, part, rv_addi(TEMP + 2, to, to_offset));
    emit(g, part, rv_lw(TEMP + 3, 0, TEMP + 1));
    emit(g, part, rv_sw(TEMP + 3, 0, TEMP + 2));
    emit(g, part, rv_addi(TEMP + 1, TEMP + 1, 4));
    emit(g, part, rv_addi(TEMP + 2, TEMP + 2, 4));
    emit(g, part, rv_addi(TEMP, TEMP, -1));
    emit(g, part, rv_bne(TEMP, 0, -20));
}
