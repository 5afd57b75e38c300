/* Moves the data of a PACR from Dst, L1 or zeros through conversions, masks and selection to the buffers before L1.
 *
 * In the common case, whole rows and an empty buffer, the data are converted directly into L1. The histogram counts
 * "every datum fetched from Dst" (the page): all 16 of a row, since an interface always reads a whole row. Inexact: the
 * size of a tile is the number of units written; a tile that ends within data that share an exponent is padded with
 * zeros. Sources: PACR.md (BH), Packers/README.md, ExponentHistogram.md, Downsampling.md, TDMA-RISC.md (WH). */
#include <string.h>

#include "isa/memmap.h"
#include "tensix/tensix.h"

/* The zeros that an invalid row and its lower half read as. */
static const uint16_t no_row[DST_LOW + 1][DST_COLUMNS];

static const union pack_data zeros;

static struct pack_turn turn_of(struct tensix *x, const struct pack_job *job, uint64_t now) {
    return (struct pack_turn){ .x = x, .kernels = &x->vector.lanes->pack, .job = job, .now = now };
}

static void copy_data(union pack_data *to, unsigned at, const union pack_data *from, unsigned first, unsigned count,
                      unsigned kind) {
    if (pack_is_words((enum pack_kind)kind))
        memcpy(to->word + at, from->word + first, count * sizeof to->word[0]);
    else
        memcpy(to->half + at, from->half + first, count * sizeof to->half[0]);
}

/* ---- To the buffers --------------------------------------------------------------------------------------------- */

static pack_add_pieces *adder(const struct pack_turn *turn) {
    const struct pack_open *open = &turn->x->pack.open;
    return open->add ? turn->kernels->add[open->out] : NULL;
}

/* Returns whether groups of this many bytes in total can be converted directly into L1. */
static inline bool goes_directly(const struct pack *pack, unsigned size) {
    const struct pack_stream *stream = &pack->stream[PACK_TO];
    return !pack->open.add && !stream->filled && size % PACK_UNIT == 0 &&
           stream->address + (uint64_t)size <= memmap[MEMMAP_ROW_L1].size;
}

/* Converts whole groups directly into L1. size: the bytes of all groups. Precondition: goes_directly(). */
static inline void put_directly(struct pack_turn *turn, const union pack_data *data, unsigned groups, unsigned size) {
    struct tensix *x = turn->x;
    struct pack *pack = &x->pack;
    uint32_t address = pack->stream[PACK_TO].address;
    uint8_t exponents[PACK_ROWS];
    tensix_l1_changes(x, address, size);
    turn->kernels->late[pack->open.kind][pack->open.out](x->l1 + address, exponents, data, groups,
                                                         pack->open.random ? pack->random[1] : NULL);
    pack->stream[PACK_TO].address += size;
    pack->units += size / PACK_UNIT;
    x->port->l1_written(x->owner, BH_TRACK_PACK, address, size, turn->now + 1);
    if (pack->open.shared)
        pack_put(turn, &pack->stream[PACK_EXPONENTS], exponents, groups, NULL);
}

/* Converts groups of 16 data. size: the bytes to write, which may end within the last group. */
static void put_groups(struct pack_turn *turn, const union pack_data *data, unsigned groups, unsigned size) {
    struct pack *pack = &turn->x->pack;
    uint8_t exponents[PACK_ROWS], bytes[PACK_DATA * 4] __attribute__((aligned(64)));
    if (size == groups * PACK_ROW * (unsigned)pack->open.bits / 8 && goes_directly(pack, size)) {
        put_directly(turn, data, groups, size);
        return;
    }
    turn->kernels->late[pack->open.kind][pack->open.out](bytes, exponents, data, groups,
                                                         pack->open.random ? pack->random[1] : NULL);
    pack_put(turn, &pack->stream[PACK_TO], bytes, size, adder(turn));
    if (pack->open.shared)
        pack_put(turn, &pack->stream[PACK_EXPONENTS], exponents, groups, NULL);
}

/* Collects data that share an exponent until there are 16, and converts these. */
static void put_shared(struct pack_turn *turn, const union pack_data *data, unsigned count) {
    struct pack *pack = &turn->x->pack;
    for (unsigned done = 0; done < count;) {
        unsigned room = PACK_ROW - (unsigned)pack->rests, some = count - done < room ? count - done : room;
        copy_data(&pack->rest, pack->rests, data, done, some, pack->open.kind);
        pack->rests = (uint8_t)(pack->rests + some);
        done += some;
        if (pack->rests == PACK_ROW) {
            pack->rests = 0;
            put_groups(turn, &pack->rest, 1, PACK_ROW * (unsigned)pack->open.bits / 8);
        }
    }
}

void pack_emit(struct pack_turn *turn, const union pack_data *data, unsigned count) {
    const struct pack *pack = &turn->x->pack;
    if (pack->open.shared && (pack->rests || count % PACK_ROW))
        put_shared(turn, data, count);
    else if (count)
        put_groups(turn, data, (count + PACK_ROW - 1) / PACK_ROW, count * pack->open.bits / 8);
}

static void empty(struct pack_turn *turn) {
    struct pack *pack = &turn->x->pack;
    if (pack->rests)
        put_shared(turn, &zeros, PACK_ROW - (unsigned)pack->rests);
    pack_fill(turn, &pack->stream[PACK_TO], adder(turn));
    pack_fill(turn, &pack->stream[PACK_EXPONENTS], NULL);
    pack_fill(turn, &pack->stream[PACK_STARTS], NULL);
}

/* ---- Selection and padding -------------------------------------------------------------------------------------- */

/* Returns the number of zeros to append. end: these are the last data of the instruction. */
static unsigned padding(const struct pack_turn *turn, unsigned count, bool end) {
    unsigned over = (turn->x->pack.packed + count) % PACK_ROW;
    return end && over && turn->job->out.pad == PACK_PAD_END ? PACK_ROW - over : 0;
}

static void pass(struct pack_turn *turn, const union pack_data *data, unsigned count, bool last) {
    turn->x->pack.packed += count;
    if (turn->job->path.open.compress)
        pack_put_compressed(turn, data, count, last);
    else
        pack_emit(turn, data, count);
}

/* Pads and packs data. end: these are the last data of the instruction. */
static void pass_on(struct pack_turn *turn, const union pack_data *data, unsigned count, bool end) {
    if (BH_LIKELY(!turn->job->path.open.compress && turn->job->out.pad != PACK_PAD_END)) {
        turn->x->pack.packed += count;
        pack_emit(turn, data, count);
        return;
    }
    unsigned pad = padding(turn, count, end);
    bool last = end && (!turn->job->out.concat || turn->job->out.last);
    pass(turn, data, count, last && !pad);
    if (pad)
        pass(turn, &zeros, pad, last);
}

/* Packs the selected columns of rows. tail: the number of data in the last row. */
static void take_rows(struct pack_turn *turn, union pack_data *data, unsigned rows, unsigned tail, bool end) {
    const struct pack_job *job = turn->job;
    enum pack_kind kind = (enum pack_kind)job->path.open.kind;
    uint16_t take = job->in.take;
    unsigned count = (rows - 1) * PACK_ROW + tail;
    if (job->out.pad == PACK_PAD_ROWS && (take != UINT16_MAX || tail != PACK_ROW)) {
        union pack_data padded = { .word = { 0 } }, row;
        for (unsigned i = 0; i < rows; i++) {
            copy_data(&row, 0, data, i * PACK_ROW, PACK_ROW, kind);
            unsigned some = pack_select(&row, kind, i == rows - 1 ? tail : PACK_ROW, &take);
            copy_data(&padded, i * PACK_ROW, &row, 0, some, kind);
            take = job->in.take;
        }
        pass_on(turn, &padded, rows * PACK_ROW, end);
        return;
    }
    if (take != UINT16_MAX)
        count = pack_select(data, kind, count, &take);
    pass_on(turn, data, count, end);
}

/* ---- Sources ------------------------------------------------------------ */

static unsigned stored_row(const struct tensix *x, const struct pack_input *in, unsigned row) {
    const uint32_t *config = x->config.bank[0]; /* both banks share the word */
    return in->wide ? dst_row32(config, row) : dst_row16(&x->dst, config, row);
}

static void find_rows(const struct tensix *x, const struct pack_input *in, const uint16_t **row) {
    for (unsigned i = 0; i < in->rows; i++) {
        unsigned at = stored_row(x, in, in->row[i]);
        row[i] = dst_is_invalid(&x->dst, at) ? no_row[0] : x->dst.bits[at];
    }
}

/* The fast path of find_rows: four aligned rows are consecutive in storage. */
static inline __attribute__((always_inline)) void find_neighbours(const struct tensix *x, const struct pack_input *in,
                                                                  const uint16_t **row) {
    unsigned at = stored_row(x, in, in->row[0]);
    if (BH_UNLIKELY(dst_invalid4(&x->dst, at & ~3u))) {
        find_rows(x, in, row);
        return;
    }
    for (unsigned i = 0; i < PACK_ROWS; i++)
        row[i] = x->dst.bits[at] + (size_t)i * DST_COLUMNS;
}

static inline __attribute__((always_inline)) void read_dst(struct pack_turn *turn, union pack_data *data) {
    const struct pack_path *path = &turn->job->path;
    const uint16_t *row[PACK_ROWS];
    struct pack_rounding how = { .random = path->random ? turn->x->pack.random[0] : NULL, .shift = path->shift };
    if (BH_LIKELY(turn->job->whole))
        find_neighbours(turn->x, &turn->job->in, row);
    else
        find_rows(turn->x, &turn->job->in, row);
    turn->kernels->early[path->early](data, row, turn->job->in.rows, &how);
}

static bool counts(const struct config *config) {
    return (CONFIG_GET(config->thread[0], ENABLE_ACC_STATS_Enable) |
            CONFIG_GET(config->thread[1], ENABLE_ACC_STATS_Enable) |
            CONFIG_GET(config->thread[2], ENABLE_ACC_STATS_Enable)) != 0;
}

static inline __attribute__((always_inline)) void note_exponents(struct pack_turn *turn, const union pack_data *data) {
    enum pack_kind kind = (enum pack_kind)turn->job->path.kind;
    struct packer *packer = &turn->x->packer;
    unsigned rows = turn->job->in.rows, most = turn->kernels->most[kind](data, rows);
    if (most > packer->max_exponent)
        packer->max_exponent = (uint8_t)most;
    if (counts(&turn->x->config))
        pack_histogram(packer->exponent_histogram, data, kind, rows * PACK_ROW);
}

static void change(struct pack_turn *turn, union pack_data *data) {
    const struct pack_kernels *kernels = turn->kernels;
    const struct pack_path *path = &turn->job->path;
    unsigned rows = turn->job->in.rows;
    if (turn->job->in.masked)
        kernels->mask[path->kind](data, turn->job->in.keep, path->edge, rows);
    if (path->relu)
        kernels->relu[path->kind](data, path->relu, path->threshold, rows);
    note_exponents(turn, data);
    if (path->below)
        kernels->below[path->kind](data, path->below, rows);
    if (path->narrow)
        kernels->to_fp16(data, rows);
}

static void move_dst(struct pack_turn *turn) {
    union pack_data data;
    read_dst(turn, &data);
    change(turn, &data);
    take_rows(turn, &data, turn->job->in.rows, PACK_ROW, true);
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static void move_nothing(struct pack_turn *turn) {
    const struct pack_input *in = &turn->job->in;
    for (unsigned done = 0; done < in->rows && !turn->bad; done += PACK_ROWS) {
        union pack_data nothing = zeros;
        take_rows(turn, &nothing, least(in->rows - done, PACK_ROWS), PACK_ROW, done + PACK_ROWS >= in->rows);
    }
}

static void move_l1(struct pack_turn *turn) {
    const struct pack_input *in = &turn->job->in;
    for (unsigned done = 0; done < in->rows && !turn->bad; done += PACK_ROWS) {
        union pack_data data;
        uint8_t raw[PACK_DATA * 4] = { 0 };
        unsigned rows = least(in->rows - done, PACK_ROWS), count = least(in->count - done * PACK_ROW, rows * PACK_ROW);
        memcpy(raw, turn->x->l1 + in->address + done * PACK_ROW * in->bytes, (size_t)count * in->bytes);
        turn->kernels->load[turn->job->path.early](&data, raw, rows);
        take_rows(turn, &data, rows, count - (rows - 1) * PACK_ROW, done + PACK_ROWS >= in->rows);
    }
}

/* ---- Tiles ------------------------------------------------------------ */

/* Sets the addresses of the sections that begin with this job. */
static void begin_sections(struct pack *pack, const struct pack_job *job) {
    for (unsigned i = 0; i < PACK_SECTIONS; i++)
        if (job->out.new[i])
            pack->stream[i].address = job->out.address[i];
    if (job->out.new[PACK_TO])
        pack->packed = pack->units = 0;
}

static void begin(struct pack_turn *turn) {
    const struct pack_job *job = turn->job;
    begin_sections(&turn->x->pack, job);
    if (job->out.new[PACK_STARTS])
        pack_begin_compressed(turn);
    if (!job->in.rows)
        return; /* data that are already in the buffers keep their format */
    turn->x->pack.open = job->path.open;
}

static void end(struct pack_turn *turn) {
    if (turn->x->pack.open.compress)
        pack_end_compressed(turn);
    empty(turn);
    turn->x->pack.open.compress = false;
}

/* Publishes the sizes of a tile that ends with Last (regs/packer.h). */
static void publish_tile(struct pack_turn *turn) {
    struct tensix *x = turn->x;
    const struct pack_job *job = turn->job;
    struct packer *packer = &x->packer;
    uint16_t *sum = &packer->acc_tile_size[job->thread];
    packer->last_tile_size = (uint16_t)x->pack.units;
    packer->last_thread = job->thread;
    *sum = (uint16_t)(*sum + packer->last_tile_size + job->out.header);
    if (job->out.fifo)
        packer_push_tile(packer, packer->last_tile_size, packer->all_zero_flags);
    tensix_wake(x, turn->now + 1);
}

/* Returns whether the instruction would change the format within data that share an exponent, or within a compressed
 * tile. */
static bool changes_format(const struct pack *pack, const struct pack_job *job) {
    return (pack->rests || pack->open.compress) && job->in.rows &&
           memcmp(&job->path.open, &pack->open, sizeof pack->open) != 0;
}

static void move_data(struct pack_turn *turn) {
    switch (turn->job->in.source) {
    case PACK_FROM_DST: move_dst(turn); break;
    case PACK_FROM_L1: move_l1(turn); break;
    default: move_nothing(turn); break;
    }
}

static void move(struct pack_turn *turn) {
    const struct pack_job *job = turn->job;
    if (changes_format(&turn->x->pack, job)) {
        turn->bad = "the format changes within a group of data that belong together";
        return;
    }
    begin(turn);
    move_data(turn);
    if (job->out.last || job->out.flush)
        end(turn);
    if (job->out.last)
        publish_tile(turn);
    else if (job->path.open.compress)
        tensix_wake(turn->x, turn->now + 1); /* all_zero_flags may have changed */
}

static void finish(const struct pack_turn *turn) {
    const struct pack_job *job = turn->job;
    if (turn->bad)
        tensix_fault(turn->x, job->thread, BH_FAULT_UNDEFINED, job->word, 0, turn->now, "%s", turn->bad);
}

/* Continues a tile with whole rows, of which all columns are packed. */
static void move_whole(struct pack_turn *turn) {
    struct pack *pack = &turn->x->pack;
    unsigned rows = turn->job->in.rows;
    union pack_data data;
    read_dst(turn, &data);
    if (turn->job->path.as_it_is)
        note_exponents(turn, &data);
    else
        change(turn, &data);
    unsigned size = rows * PACK_ROW * (unsigned)pack->open.bits / 8;
    pack->packed += rows * PACK_ROW;
    if (BH_LIKELY(goes_directly(pack, size)))
        put_directly(turn, &data, rows, size);
    else
        put_groups(turn, &data, rows, size);
}

/* Returns whether one kernel can move the data from Dst to L1. at: the first stored row. */
static inline bool runs_in_one_step(const struct tensix *x, const struct pack_job *job, unsigned at, unsigned size) {
    return job->path.one_step && goes_directly(&x->pack, size) && !dst_invalid4(&x->dst, at & ~3u) &&
           !counts(&x->config);
}

static inline bool move_in_one_step(struct tensix *x, const struct pack_job *job, uint64_t now) {
    struct pack *pack = &x->pack;
    unsigned rows = job->in.rows, size = rows * PACK_ROW * 2,
             at = dst_row16(&x->dst, x->config.bank[0], job->in.row[0]);
    if (!runs_in_one_step(x, job, at, size))
        return false;
    uint32_t address = pack->stream[PACK_TO].address;
    tensix_l1_changes(x, address, size);
    unsigned most = x->vector.lanes->pack.one_step[job->path.early](x->l1 + address, x->dst.bits[at], rows);
    if (most > x->packer.max_exponent)
        x->packer.max_exponent = (uint8_t)most;
    pack->packed += rows * PACK_ROW;
    pack->stream[PACK_TO].address += size;
    pack->units += size / PACK_UNIT;
    x->port->l1_written(x->owner, BH_TRACK_PACK, address, size, now + 1);
    return true;
}

static void end_whole(struct pack_turn *turn) {
    if (turn->job->out.last)
        end(turn), publish_tile(turn);
}

__attribute__((noinline)) static void end_one_step(struct tensix *x, const struct pack_job *job, uint64_t now) {
    struct pack_turn turn = turn_of(x, job, now);
    end_whole(&turn);
    finish(&turn);
}

__attribute__((noinline)) static void move_any(struct tensix *x, const struct pack_job *job, uint64_t now, bool whole) {
    struct pack_turn turn = turn_of(x, job, now);
    if (whole)
        move_whole(&turn), end_whole(&turn);
    else
        move(&turn);
    finish(&turn);
}

void pack_move(struct tensix *x, const struct pack_job *job, uint64_t now) {
    bool whole = job->whole && !x->pack.rests && !memcmp(&job->path.open, &x->pack.open, sizeof x->pack.open);
    if (BH_UNLIKELY(job->first) && whole)
        begin_sections(&x->pack, job);
    if (!whole || !move_in_one_step(x, job, now))
        move_any(x, job, now, whole);
    else if (job->out.last)
        end_one_step(x, job, now);
}

void pack_empty(struct tensix *x, const struct pack_job *job, uint64_t now) {
    struct pack_turn turn = turn_of(x, job, now);
    empty(&turn);
    finish(&turn);
}
