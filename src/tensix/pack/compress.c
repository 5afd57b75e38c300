/* Compressed tiles: zeros after a datum are counted instead of written.
 *
 *     row starts    16 bits each: how many data were written before the row, and one more after the last row
 *     data          groups of 32, the last one filled up with zeros, each followed by 32 counts of four bits
 *
 * Zeros may still follow the last datum of a group, so a group's counts are written only when the next group begins.
 * Assumed: all zeros that can be counted are counted, except if they are the first or the last datum of a row; the page
 * leaves this open. Source: Packers/Compression.md (WH). */
#include <string.h>

#include "tensix/tensix.h"

enum { MOST_FLAGS = 32 };

static void put_start(struct pack_turn *turn) {
    const struct pack_compressed *c = &turn->x->pack.compressed;
    uint8_t bytes[2] = { (uint8_t)c->data, (uint8_t)(c->data >> 8) };
    pack_put(turn, &turn->x->pack.stream[PACK_STARTS], bytes, sizeof bytes, NULL);
}

void pack_begin_compressed(struct pack_turn *turn) {
    turn->x->pack.compressed = (struct pack_compressed){ .data = 0 };
    turn->x->packer.all_zero_flags = 0;
    put_start(turn);
}

/* ---- Groups ----------------------------------------------------------------------------------------------------- */

static void end_group(struct pack_turn *turn) {
    struct pack_compressed *c = &turn->x->pack.compressed;
    pack_put(turn, &turn->x->pack.stream[PACK_TO], c->zeros, sizeof c->zeros, NULL);
    memset(c->zeros, 0, sizeof c->zeros);
    c->in_group = 0;
}

/* Adds to the count of the last datum, or subtracts from it. */
static void count_zeros(struct pack_compressed *c, unsigned zeros, bool less) {
    unsigned i = c->in_group - 1u, shift = 4 * (i % 2);
    uint8_t by = (uint8_t)(zeros << shift);
    c->zeros[i / 2] = (uint8_t)(less ? c->zeros[i / 2] - by : c->zeros[i / 2] + by);
}

/* Writes some of the data. Precondition: they do not cross the end of a group. */
static void put_some(struct pack_turn *turn, const union pack_data *data, unsigned first, unsigned count) {
    union pack_data some = { .word = { 0 } };
    if (pack_is_words((enum pack_kind)turn->x->pack.open.kind))
        memcpy(some.word, data->word + first, count * sizeof some.word[0]);
    else
        memcpy(some.half, data->half + first, count * sizeof some.half[0]);
    pack_emit(turn, &some, count);
}

static void put_data(struct pack_turn *turn, const union pack_data *data, const uint8_t *zeros, unsigned count) {
    struct pack_compressed *c = &turn->x->pack.compressed;
    for (unsigned done = 0; done < count;) {
        if (c->in_group == PACK_GROUP)
            end_group(turn);
        unsigned room = PACK_GROUP - (unsigned)c->in_group, some = count - done < room ? count - done : room;
        put_some(turn, data, done, some);
        c->data = (uint16_t)(c->data + some);
        for (unsigned i = 0; i < some; i++) {
            c->in_group++;
            count_zeros(c, zeros[done + i], false);
        }
        done += some;
    }
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

static void end_row(struct pack_turn *turn) {
    struct pack_compressed *c = &turn->x->pack.compressed;
    if (!c->run.some && c->rows < MOST_FLAGS && turn->job->out.flags)
        turn->x->packer.all_zero_flags |= UINT32_C(1) << c->rows;
    c->rows = (uint8_t)(c->rows + (c->rows < MOST_FLAGS));
    put_start(turn);
}

/* Ends a row. If its last datum is a zero that has been counted, writes that zero instead of counting it. */
static void close_row(struct pack_turn *turn) {
    struct pack_compressed *c = &turn->x->pack.compressed;
    const union pack_data zero = { .word = { 0 } };
    const uint8_t none = 0;
    if (c->run.zeros) {
        count_zeros(c, 1, true);
        put_data(turn, &zero, &none, 1);
    }
    c->run.open = false;
    end_row(turn);
}

static void put_row(struct pack_turn *turn, const union pack_data *data, unsigned count, bool last) {
    struct pack_compressed *c = &turn->x->pack.compressed;
    union pack_data left = *data;
    uint8_t zeros[PACK_DATA + 1];
    unsigned kept = pack_compress(&c->run, &left, (enum pack_kind)turn->x->pack.open.kind, count, last, zeros);
    if (zeros[0])
        count_zeros(c, zeros[0], false);
    put_data(turn, &left, zeros + 1, kept);
    if (last)
        end_row(turn);
}

void pack_put_compressed(struct pack_turn *turn, const union pack_data *data, unsigned count, bool last) {
    if (!count && last && turn->x->pack.compressed.run.open)
        close_row(turn);
    else
        put_row(turn, data, count, last);
}

void pack_end_compressed(struct pack_turn *turn) {
    struct pack_compressed *c = &turn->x->pack.compressed;
    const union pack_data zero = { .word = { 0 } };
    if (c->run.open)
        close_row(turn);
    if (!c->in_group)
        return;
    pack_emit(turn, &zero, PACK_GROUP - c->in_group);
    end_group(turn);
}
