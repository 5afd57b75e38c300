/* Saved state: see state.h. */
#include "base/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/mix.h"

enum { PIECE = 64, PAGE = 4096, NO_TEXT = 0xFFFF };
_Static_assert(PAGE / PIECE == 64, "a mask has 64 bits");

static inline size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static uint32_t elements(const struct state_member *member) {
    return member->size / member->inner->size;
}

uint64_t state_layout(const struct state_table *table) {
    uint64_t hash = mix(mix_bytes(0, table->name, strlen(table->name)), table->size);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct state_member *m = &table->member[i];
        if (m->kind == STATE_DERIVED || m->kind == STATE_WIRING)
            continue;
        hash = mix_bytes(mix(hash, m->offset | (uint64_t)m->size << 32), m->name, strlen(m->name));
        hash = mix(hash, m->inner ? state_layout(m->inner) : m->kind);
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

static bool is_zero(const uint8_t *bytes, size_t size) {
    uint8_t any = 0;
    for (size_t i = 0; i < size; i++)
        any |= bytes[i];
    return !any;
}

static uint64_t pieces_of(const uint8_t *page, size_t size) {
    uint64_t mask = 0;
    for (size_t at = 0; at < size; at += PIECE)
        if (!is_zero(page + at, least(PIECE, size - at)))
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

void state_put_text(struct state_out *out, const char *text) {
    uint16_t length = text ? (uint16_t)least(strlen(text), NO_TEXT - 1) : NO_TEXT;
    state_put(out, &length, sizeof length);
    if (text)
        state_put(out, text, length);
}

static bool is_bytes(const struct state_member *member) {
    return (member->kind == STATE_SAVED || member->kind == STATE_ZERO) && !member->inner;
}

/* Returns the end of the consecutive bytes of one kind that begin with member i, including alignment gaps. Sets *i
 * to the member behind them. */
static uint32_t end_of_row(const struct state_table *table, uint32_t *i) {
    const struct state_member *m = &table->member[*i];
    enum state_kind kind = m->kind;
    uint32_t end = m->offset + m->size;
    for (++*i; *i < table->count; ++*i) {
        m = &table->member[*i];
        if (m->kind != kind || m->inner)
            break;
        end = m->offset + m->size;
    }
    return end;
}

void state_put_block(struct state_out *out, const struct state_table *table, const void *block) {
    const uint8_t *bytes = block;
    for (uint32_t i = 0; i < table->count;) {
        const struct state_member *m = &table->member[i];
        const char *text;
        if (is_bytes(m)) {
            state_put_sparse(out, bytes + m->offset, end_of_row(table, &i) - m->offset);
            continue;
        }
        if (m->inner)
            for (uint32_t k = 0; k < elements(m); k++)
                state_put_block(out, m->inner, bytes + m->offset + (size_t)k * m->inner->size);
        if (m->kind == STATE_TEXT) {
            memcpy(&text, bytes + m->offset, sizeof text);
            state_put_text(out, text);
        }
        i++;
    }
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

void state_free_texts(struct state_texts *texts) {
    while (texts) {
        struct state_texts *next = texts->next;
        free(texts);
        texts = next;
    }
}

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
    if (at)
        memcpy(data, at, size);
    else
        memset(data, 0, size);
}

static void get_page(struct state_in *in, uint8_t *page, size_t size) {
    uint64_t mask = state_get_u64(in);
    if (size <= PAGE - PIECE && mask >> (size + PIECE - 1) / PIECE) {
        in->failed = true;
        return;
    }
    for (; mask; mask &= mask - 1) {
        size_t at = (size_t)__builtin_ctzll(mask) * PIECE;
        state_get(in, page + at, least(PIECE, size - at));
    }
}

void state_get_sparse(struct state_in *in, void *data, size_t size) {
    uint8_t *bytes = data;
    if (size <= PIECE)
        state_get(in, data, size);
    else
        for (size_t at = 0; at < size; at += PAGE)
            get_page(in, bytes + at, least(PAGE, size - at));
}

/* Returns the text from the list of texts; adds it if it is new. */
static const char *find_text(struct state_in *in, const char *text, size_t length) {
    for (const struct state_texts *one = in->texts; one; one = one->next)
        if (strlen(one->text) == length && memcmp(one->text, text, length) == 0)
            return one->text;
    struct state_texts *added = malloc(sizeof *added + length + 1);
    if (!added) {
        in->failed = true;
        return NULL;
    }
    memcpy(added->text, text, length);
    added->text[length] = '\0';
    added->next = in->texts;
    in->texts = added;
    return added->text;
}

const char *state_get_text(struct state_in *in) {
    uint16_t length;
    state_get(in, &length, sizeof length);
    if (length == NO_TEXT)
        return NULL;
    const uint8_t *text = take(in, length);
    return text ? find_text(in, (const char *)text, length) : "";
}

void state_get_block(struct state_in *in, const struct state_table *table, void *block) {
    uint8_t *bytes = block;
    for (uint32_t i = 0; i < table->count;) {
        const struct state_member *m = &table->member[i];
        if (is_bytes(m)) {
            uint32_t size = end_of_row(table, &i) - m->offset;
            if (m->kind == STATE_SAVED)
                memset(bytes + m->offset, 0, size);
            state_get_sparse(in, bytes + m->offset, size);
            continue;
        }
        if (m->inner)
            for (uint32_t k = 0; k < elements(m); k++)
                state_get_block(in, m->inner, bytes + m->offset + (size_t)k * m->inner->size);
        if (m->kind == STATE_TEXT) {
            const char *text = state_get_text(in);
            memcpy(bytes + m->offset, &text, sizeof text);
        }
        i++;
    }
}
