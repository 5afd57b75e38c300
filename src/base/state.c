/* Tables of state: see state.h. */
#include "base/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/mix.h"

enum { PIECE = 64, PAGE = 4096 };
_Static_assert(PAGE / PIECE == 64, "a mask has 64 bits");

static inline size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static uint32_t elements(const struct state_member *member) {
    return member->size / member->inner->size;
}

static bool is_bytes(const struct state_member *member) {
    return member->kind == STATE_SAVED || member->kind == STATE_ZERO;
}

static bool is_saved(const struct state_member *member) {
    return is_bytes(member) || member->kind == STATE_PARTS;
}

uint64_t state_layout(const struct state_table *table) {
    uint64_t hash = mix(mix_bytes(0, table->name, strlen(table->name)), table->size);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct state_member *m = &table->member[i];
        if (!is_saved(m))
            continue;
        hash = mix_bytes(mix(hash, m->offset | (uint64_t)m->size << 32), m->name, strlen(m->name));
        hash = mix(hash, m->kind);
        if (m->inner)
            hash = mix(hash, state_layout(m->inner));
    }
    return hash;
}

/* ---- The hash --------------------------------------------------------------------------------------------- */

/* Returns the end of the gapless run of seen bytes that begins with member *i. Sets *i to the first member after it. */
static uint32_t end_of_seen(const struct state_table *table, uint32_t *i) {
    uint32_t end = table->member[*i].offset + table->member[*i].size;
    for (++*i; *i < table->count; ++*i) {
        const struct state_member *m = &table->member[*i];
        if (!m->seen || m->offset != end)
            break;
        end = m->offset + m->size;
    }
    return end;
}

const void *state_brought(const struct state_table *table, const void *block, uint64_t now, struct state_copy *copy) {
    if (!table->bring || table->size > sizeof copy->bytes)
        return block;
    memcpy(copy->bytes, block, table->size);
    table->bring(copy->bytes, now);
    return copy->bytes;
}

static __attribute__((noinline)) uint64_t hash_brought(uint64_t hash, const struct state_member *member,
                                                       const uint8_t *bytes, uint64_t now) {
    struct state_copy copy;
    for (uint32_t k = 0; k < elements(member); k++) {
        const void *block = state_brought(member->inner, bytes + (size_t)k * member->inner->size, now, &copy);
        hash = state_hash(hash, member->inner, block, now);
    }
    return hash;
}

static uint64_t hash_inner(uint64_t hash, const struct state_member *member, const uint8_t *bytes, uint64_t now) {
    if (member->inner->bring)
        return hash_brought(hash, member, bytes, now);
    for (uint32_t k = 0; k < elements(member); k++)
        hash = state_hash(hash, member->inner, bytes + (size_t)k * member->inner->size, now);
    return hash;
}

uint64_t state_hash(uint64_t hash, const struct state_table *table, const void *block, uint64_t now) {
    const uint8_t *bytes = block;
    for (uint32_t i = 0; i < table->count;) {
        const struct state_member *m = &table->member[i];
        if (m->seen) {
            hash = mix_bytes(hash, bytes + m->offset, end_of_seen(table, &i) - m->offset);
            continue;
        }
        if (m->view)
            hash = m->view(hash, block, now);
        else if (m->inner)
            hash = hash_inner(hash, m, bytes + m->offset, now);
        i++;
    }
    return hash;
}

/* ---- Writing --------------------------------------------------------------------------------------------- */

static uint8_t *reserve(struct state_out *out, size_t size) {
    enum { FIRST_ROOM = 1 << 16 };
    if (out->failed)
        return NULL;
    if (size > out->room - out->count) {
        size_t room = out->room ? out->room : FIRST_ROOM;
        while (room - out->count < size)
            room *= 2;
        uint8_t *grown = realloc(out->bytes, room);
        if (!grown) {
            out->failed = true;
            return NULL;
        }
        out->bytes = grown;
        out->room = room;
    }
    uint8_t *at = out->bytes + out->count;
    out->count += size;
    return at;
}

void state_put(struct state_out *out, const void *data, size_t size) {
    uint8_t *at = reserve(out, size);
    if (at && size)
        memcpy(at, data, size);
}

static uint64_t pieces_of(const uint8_t *page, size_t size) {
    uint64_t mask = 0;
    for (size_t at = 0; at < size; at += PIECE)
        if (!bytes_are_zero(page + at, least(PIECE, size - at)))
            mask |= UINT64_C(1) << at / PIECE;
    return mask;
}

static void put_page(struct state_out *out, const uint8_t *page, size_t size) {
    uint64_t mask = pieces_of(page, size);
    state_put_u64(out, mask);
    for (; mask; mask &= mask - 1) {
        size_t at = (size_t)__builtin_ctzll(mask) * PIECE;
        state_put(out, page + at, least(PIECE, size - at));
    }
}

void state_put_sparse(struct state_out *out, const void *data, size_t size) {
    const uint8_t *bytes = data;
    if (size <= PIECE)
        state_put(out, data, size);
    else
        for (size_t at = 0; at < size; at += PAGE)
            put_page(out, bytes + at, least(PAGE, size - at));
}

/* Returns the end of the consecutive saved bytes that begin with member *i, including alignment gaps. Sets *i to the
 * first member after them. A member of kind STATE_ZERO is a row of its own. */
static uint32_t end_of_row(const struct state_table *table, uint32_t *i) {
    const struct state_member *m = &table->member[*i];
    unsigned kind = m->kind;
    uint32_t end = m->offset + m->size;
    for (++*i; *i < table->count; ++*i) {
        m = &table->member[*i];
        if (m->kind != kind || kind == STATE_ZERO)
            break;
        end = m->offset + m->size;
    }
    return end;
}

static void put_parts(struct state_out *out, const struct state_member *member, const uint8_t *bytes) {
    for (uint32_t k = 0; k < elements(member); k++)
        state_put_block(out, member->inner, bytes + (size_t)k * member->inner->size);
}

void state_put_block(struct state_out *out, const struct state_table *table, const void *block) {
    const uint8_t *bytes = block;
    for (uint32_t i = 0; i < table->count;) {
        const struct state_member *m = &table->member[i];
        if (is_bytes(m)) {
            state_put_sparse(out, bytes + m->offset, end_of_row(table, &i) - m->offset);
            continue;
        }
        if (m->kind == STATE_PARTS)
            put_parts(out, m, bytes + m->offset);
        i++;
    }
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

static const uint8_t *take(struct state_in *in, size_t size) {
    if (in->failed || size > (size_t)(in->end - in->at)) {
        in->failed = true;
        return NULL;
    }
    const uint8_t *at = in->at;
    in->at += size;
    return at;
}

void state_get(struct state_in *in, void *data, size_t size) {
    const uint8_t *at = take(in, size);
    if (at && size)
        memcpy(data, at, size);
    else if (size)
        memset(data, 0, size);
}

/* Reads the mask of the nonzero pieces of a page. Fails if the mask names pieces that a page of this size does not
 * have. */
static uint64_t get_mask(struct state_in *in, size_t size) {
    uint64_t mask = state_get_u64(in);
    if (size > PAGE - PIECE || !(mask >> (size + PIECE - 1) / PIECE))
        return mask;
    in->failed = true;
    return 0;
}

static inline void get_piece(struct state_in *in, uint8_t *piece, size_t size) {
    if (size < PIECE || (size_t)(in->end - in->at) < PIECE || in->failed) {
        state_get(in, piece, least(PIECE, size));
        return;
    }
    memcpy(piece, in->at, PIECE);
    in->at += PIECE;
}

static void get_page(struct state_in *in, uint8_t *page, size_t size) {
    for (uint64_t mask = get_mask(in, size); mask; mask &= mask - 1) {
        size_t at = (size_t)__builtin_ctzll(mask) * PIECE;
        get_piece(in, page + at, size - at);
    }
}

void state_get_sparse(struct state_in *in, void *data, size_t size) {
    uint8_t *bytes = data;
    if (size <= PIECE)
        state_get(in, data, size);
    else
        for (size_t at = 0; at < size && !in->failed; at += PAGE)
            get_page(in, bytes + at, least(PAGE, size - at));
}

void state_skip(struct state_in *in, size_t size) {
    (void)take(in, size);
}

static void skip_page(struct state_in *in, size_t size) {
    uint64_t mask = get_mask(in, size);
    size_t last = size % PIECE ? PIECE - size % PIECE : 0; /* bytes that the last piece lacks */
    bool has_last = mask >> (size - 1) / PIECE & 1;
    (void)take(in, (size_t)__builtin_popcountll(mask) * PIECE - (has_last ? last : 0));
}

void state_skip_sparse(struct state_in *in, size_t size) {
    if (size <= PIECE)
        (void)take(in, size);
    else
        for (size_t at = 0; at < size && !in->failed; at += PAGE)
            skip_page(in, least(PAGE, size - at));
}

static void refuse(struct state_in *in, const struct state_table *table, const struct state_member *member) {
    if (!in->failed) {
        in->bad_table = table;
        in->bad_member = member;
    }
    in->failed = true;
}

/* One function for each type of integer, so that the compiler can compare many elements at a time. */
#define HAS_POSSIBLE(name, type) \
    static bool name(const struct state_member *member, const uint8_t *bytes) { \
        type most = member->most < (type)-1 ? (type)member->most : (type)-1, bits = (type)~member->bits, bad = 0; \
        for (uint32_t at = 0; at < member->size; at += (uint32_t)sizeof(type)) { \
            type value; \
            memcpy(&value, bytes + at, sizeof value); \
            bad |= (type)((type)(value > most) | (type)(value & bits)); \
        } \
        return !bad; \
    }
HAS_POSSIBLE(has_possible_u8, uint8_t)
HAS_POSSIBLE(has_possible_u16, uint16_t)
HAS_POSSIBLE(has_possible_u32, uint32_t)
HAS_POSSIBLE(has_possible_u64, uint64_t)

static bool has_possible_values(const struct state_member *member, const uint8_t *bytes) {
    switch (member->width) {
    case 1: return has_possible_u8(member, bytes);
    case 2: return has_possible_u16(member, bytes);
    case 4: return has_possible_u32(member, bytes);
    case 8: return has_possible_u64(member, bytes);
    default: return true;
    }
}

/* Skips elements that are zero: most elements of long arrays are, and zero is possible for all of them. */
static void check_elements(struct state_in *in, const struct state_member *member, const uint8_t *bytes) {
    uint32_t count = elements(member), size = member->inner->size;
    for (uint32_t k = 0; k < count && !in->failed; k++, bytes += size)
        if (count == 1 || !bytes_are_zero(bytes, size))
            state_check(in, member->inner, bytes);
}

static void check_member(struct state_in *in, const struct state_table *table, const struct state_member *member,
                         const uint8_t *bytes) {
    if (!has_possible_values(member, bytes))
        refuse(in, table, member);
    if (member->inner)
        check_elements(in, member, bytes);
}

void state_check(struct state_in *in, const struct state_table *table, const void *block) {
    const uint8_t *bytes = block;
    for (uint32_t i = 0; i < table->count && !in->failed; i++)
        if (table->member[i].width || (table->member[i].inner && is_saved(&table->member[i])))
            check_member(in, table, &table->member[i], bytes + table->member[i].offset);
    if (!in->failed && table->is_possible && !table->is_possible(block))
        refuse(in, table, NULL);
}

static void get_parts(struct state_in *in, const struct state_member *member, uint8_t *bytes) {
    for (uint32_t k = 0; k < elements(member) && !in->failed; k++)
        state_get_block(in, member->inner, bytes + (size_t)k * member->inner->size);
}

/* Returns whether the next sparse bytes are all zero. Precondition: they fill more than one piece. */
static bool comes_zero(const struct state_in *in, size_t size) {
    size_t masks = (size + PAGE - 1) / PAGE * sizeof(uint64_t);
    return masks <= (size_t)(in->end - in->at) && bytes_are_zero(in->at, masks);
}

/* Returns whether the bytes of the member can be skipped: they are only read to be checked, and either every value of
 * them is possible or all are zero. */
static bool needs_no_look(const struct state_in *in, const struct state_member *member) {
    if (!in->scratch || member->kind != STATE_ZERO)
        return false;
    return (!member->inner && !member->width) || (member->size > PIECE && comes_zero(in, member->size));
}

/* Reads the members from *i on that were written together. Sets *i to the first member after them. */
static void get_row(struct state_in *in, const struct state_table *table, uint32_t *i, uint8_t *bytes) {
    uint32_t first = *i, size = end_of_row(table, i) - table->member[first].offset;
    const struct state_member *m = &table->member[first];
    if (needs_no_look(in, m)) {
        state_skip_sparse(in, size);
        return;
    }
    if (m->kind == STATE_SAVED || !in->fresh)
        memset(bytes + m->offset, 0, size);
    state_get_sparse(in, bytes + m->offset, size);
    for (; m < &table->member[*i] && !in->failed; m++)
        if (m->width || m->inner)
            check_member(in, table, m, bytes + m->offset);
}

void state_get_block(struct state_in *in, const struct state_table *table, void *block) {
    uint8_t *bytes = block;
    for (uint32_t i = 0; i < table->count && !in->failed;) {
        const struct state_member *m = &table->member[i];
        if (is_bytes(m)) {
            get_row(in, table, &i, bytes);
            continue;
        }
        if (m->kind == STATE_PARTS)
            get_parts(in, m, bytes + m->offset);
        i++;
    }
    if (!in->failed && table->is_possible && !table->is_possible(block))
        refuse(in, table, NULL);
}
