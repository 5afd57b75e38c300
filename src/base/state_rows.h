/* Rows of tables of state (state.h), for the files that define tables. T is the struct:
 *
 *     #define T struct gate
 *     static const struct state_member gate_members[] = { SEEN(value), SAVED(time), FLAG(open), ... };
 *     const struct state_table gate_state = STATE_TABLE("gate", T, gate_members);
 *     #undef T
 *
 * SEEN rows enter the hash. The element of MOST and BITS is the type of the integer, or of an array's integers. */
#ifndef BASE_STATE_ROWS_H
#define BASE_STATE_ROWS_H

#include "base/state.h"

#define STATE_ROW_(field) .name = #field, .offset = offsetof(T, field), .size = sizeof(((T *)0)->field)

#define SAVED(field) \
    { STATE_ROW_(field), .kind = STATE_SAVED }
#define ZERO(field) \
    { STATE_ROW_(field), .kind = STATE_ZERO }
#define DERIVED(field) \
    { STATE_ROW_(field), .kind = STATE_DERIVED }
#define WIRING(field) \
    { STATE_ROW_(field), .kind = STATE_WIRING }
#define SEEN(field) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .seen = true }
#define SEEN_ZERO(field) \
    { STATE_ROW_(field), .kind = STATE_ZERO, .seen = true }

/* Values up to this one. */
#define MOST(field, element, limit) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .width = sizeof(element), .most = (limit), .bits = UINT64_MAX }
#define SEEN_MOST(field, element, limit) \
    { \
        STATE_ROW_(field), .kind = STATE_SAVED, .seen = true, .width = sizeof(element), .most = (limit), \
                           .bits = UINT64_MAX \
    }
/* Values with no other bits set. */
#define BITS(field, element, mask) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .width = sizeof(element), .most = UINT64_MAX, .bits = (mask) }
#define FLAG(field)      MOST(field, bool, 1)
#define SEEN_FLAG(field) SEEN_MOST(field, bool, 1)

/* A struct, or an array of structs, with a table. PARTS: some of its members are not saved. */
#define INNER(field, table) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .inner = &(table) }
#define INNER_ZERO(field, table) \
    { STATE_ROW_(field), .kind = STATE_ZERO, .inner = &(table) }
#define PARTS(field, table) \
    { STATE_ROW_(field), .kind = STATE_PARTS, .inner = &(table) }
/* A function hashes the member, or its struct. */
#define VIEW(field, function) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .view = (function) }
#define VIEW_MOST(field, element, limit, function) \
    { \
        STATE_ROW_(field), .kind = STATE_SAVED, .width = sizeof(element), .most = (limit), .bits = UINT64_MAX, \
                           .view = (function) \
    }
#define VIEW_ZERO(field, function) \
    { STATE_ROW_(field), .kind = STATE_ZERO, .view = (function) }
#define VIEW_INNER(field, table, function) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .inner = &(table), .view = (function) }
#define VIEW_INNER_ZERO(field, table, function) \
    { STATE_ROW_(field), .kind = STATE_ZERO, .inner = &(table), .view = (function) }
#define VIEW_PARTS(field, table, function) \
    { STATE_ROW_(field), .kind = STATE_PARTS, .inner = &(table), .view = (function) }

#endif
