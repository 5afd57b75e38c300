/* The first values in which two blocks differ: see state.h. The comparison follows state_hash: members that are seen
 * are compared byte by byte, members with a view by the hash of the view. When two views differ, the differing value is
 * searched for in the bytes of that member, then in all saved members of its block. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"

static void compare(struct state_diff *diff, const struct state_table *table, const uint8_t *a, const uint8_t *b,
                    size_t base);

/* Appends to the name of the value. Returns the previous length, to which the caller cuts the name back. */
__attribute__((format(printf, 2, 3))) static size_t extend(struct state_diff *diff, const char *format, ...) {
    size_t before = diff->length, room = sizeof diff->name - before;
    va_list list;
    va_start(list, format);
    int added = vsnprintf(diff->name + before, room, format, list);
    va_end(list);
    if (added > 0)
        diff->length += (size_t)added < room ? (size_t)added : room - 1;
    return before;
}

static void shorten(struct state_diff *diff, size_t length) {
    diff->length = length;
    diff->name[length] = '\0';
}

static void report(struct state_diff *diff, const struct state_member *m, size_t offset, uint32_t size, uint64_t a,
                   uint64_t b) {
    const struct state_value value = { diff->name, offset, size, m->time, { a, b } };
    diff->count++;
    diff->ended = !diff->report(diff->user, &value);
}

static uint64_t integer(const uint8_t *bytes, uint32_t size) {
    uint64_t value = 0;
    memcpy(&value, bytes, size); /* hosts are little-endian */
    return value;
}

/* Returns the bytes of one value of the member. Structs without a table are shown as 32-bit words. */
static uint32_t value_size(const struct state_member *m) {
    uint32_t size = m->width ? m->width : m->element;
    if (size)
        return size;
    if (m->size == 1 || m->size == 2 || m->size == 4 || m->size == 8)
        return m->size;
    return m->size % 4 ? 1 : 4;
}

static void compare_values(struct state_diff *diff, const struct state_member *m, const uint8_t *a, const uint8_t *b,
                           size_t base) {
    uint32_t size = value_size(m);
    for (uint32_t at = 0; at < m->size && !diff->ended; at += size) {
        if (memcmp(a + at, b + at, size) == 0)
            continue;
        size_t length = diff->length;
        if (m->stride)
            extend(diff, "[%u][%u]", at / m->stride, at % m->stride / size);
        else if (m->size > size)
            extend(diff, "[%u]", at / size);
        report(diff, m, base + at, size, integer(a + at, size), integer(b + at, size));
        shorten(diff, length);
    }
}

static __attribute__((noinline)) void compare_brought(struct state_diff *diff, const struct state_table *table,
                                                      const uint8_t *a, const uint8_t *b, size_t base) {
    struct state_copy copy[2];
    const uint8_t *left = state_brought(table, a, diff->now[0], &copy[0]);
    const uint8_t *right = state_brought(table, b, diff->now[1], &copy[1]);
    compare(diff, table, left, right, base);
}

static void compare_elements(struct state_diff *diff, const struct state_member *m, const uint8_t *a, const uint8_t *b,
                             size_t base) {
    uint32_t size = m->inner->size, count = m->size / size;
    for (uint32_t i = 0; i < count && !diff->ended; i++) {
        size_t at = (size_t)i * size, length = count > 1 ? extend(diff, "[%u]", i) : diff->length;
        if (m->inner->bring)
            compare_brought(diff, m->inner, a + at, b + at, base + at);
        else
            compare(diff, m->inner, a + at, b + at, base + at);
        shorten(diff, length);
    }
}

static void compare_bytes(struct state_diff *diff, const struct state_member *m, const uint8_t *a, const uint8_t *b,
                          size_t base) {
    if (memcmp(a, b, m->size) == 0)
        return;
    if (m->inner)
        compare_elements(diff, m, a, b, base);
    else
        compare_values(diff, m, a, b, base);
}

static bool is_saved(const struct state_member *m) {
    return m->kind == STATE_SAVED || m->kind == STATE_ZERO || m->kind == STATE_PARTS;
}

/* Finds the value that makes two views of a member differ. Precondition: the views differ. length: length of the
 * block's name. */
static void compare_view(struct state_diff *diff, const struct state_table *table, const struct state_member *m,
                         const uint8_t *a, const uint8_t *b, size_t base, size_t length) {
    size_t before = diff->count;
    bool all = diff->all;
    diff->all = true;
    if (is_saved(m))
        compare_bytes(diff, m, a + m->offset, b + m->offset, base + m->offset);
    if (diff->count == before && !all && is_saved(m)) {
        char name[sizeof diff->name];
        size_t full = diff->length;
        memcpy(name, diff->name, sizeof name);
        shorten(diff, length);
        compare(diff, table, a, b, base);
        memcpy(diff->name, name, sizeof name);
        diff->length = full;
    }
    diff->all = all;
    if (diff->count == before)
        report(diff, m, base + m->offset, 0, 0, 0);
}

static void compare_member(struct state_diff *diff, const struct state_table *table, const struct state_member *m,
                           const uint8_t *a, const uint8_t *b, size_t base) {
    size_t length = extend(diff, diff->length ? ".%s" : "%s", m->name);
    const uint8_t *at[2] = { a + m->offset, b + m->offset };
    if (m->seen || (diff->all && is_saved(m)))
        compare_bytes(diff, m, at[0], at[1], base + m->offset);
    else if (m->view && diff->values && m->inner)
        compare_elements(diff, m, at[0], at[1], base + m->offset);
    else if (m->view && m->view(0, a, diff->now[0]) != m->view(0, b, diff->now[1]))
        compare_view(diff, table, m, a, b, base, length);
    else if (!m->view && m->inner)
        compare_elements(diff, m, at[0], at[1], base + m->offset);
    shorten(diff, length);
}

static void compare(struct state_diff *diff, const struct state_table *table, const uint8_t *a, const uint8_t *b,
                    size_t base) {
    for (uint32_t i = 0; i < table->count && !diff->ended; i++)
        if (!diff->values || !table->member[i].time)
            compare_member(diff, table, &table->member[i], a, b, base);
}

void state_compare(struct state_diff *diff, const struct state_table *table, const void *a, const void *b) {
    compare(diff, table, a, b, 0);
}
