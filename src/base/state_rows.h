/* Macros for the rows of state tables (state.h), for the files that define tables. T is the struct:
 *
 *     #define T struct gate
 *     static const struct state_member gate_members[] = { SEEN(value), SAVED(time), FLAG(open), ... };
 *     const struct state_table gate_state = STATE_TABLE("gate", T, gate_members);
 *     #undef T
 *
 * SEEN rows enter the hash. GRID rows are arrays of arrays of integers. ZERO rows are of kind STATE_ZERO. The argument
 * `integer` of MOST and BITS is the type of the member, or of its elements if it is an array. */
#ifndef BASE_STATE_ROWS_H
#define BASE_STATE_ROWS_H

#include "base/state.h"

/* Bytes of each element of an array of integers; 0 for anything else. */
#define STATE_ELEMENT_(array) \
    _Generic((array), bool * : 1, char * : 1, int8_t * : 1, uint8_t * : 1, int16_t * : 2, uint16_t * : 2, \
             int32_t * : 4, uint32_t * : 4, int64_t * : 8, uint64_t * : 8, default : 0)

#define STATE_PLACE_(field) .name = #field, .offset = offsetof(T, field), .size = sizeof(((T *)0)->field)
#define STATE_ROW_(field)   STATE_PLACE_(field), .element = STATE_ELEMENT_(((T *)0)->field)
/* An array of arrays. */
#define STATE_GRID_(field) \
    STATE_PLACE_(field), .element = STATE_ELEMENT_(((T *)0)->field[0]), .stride = sizeof(((T *)0)->field[0])

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
#define SAVED_GRID(field) \
    { STATE_GRID_(field), .kind = STATE_SAVED }
#define SEEN_GRID(field) \
    { STATE_GRID_(field), .kind = STATE_SAVED, .seen = true }
#define SEEN_GRID_ZERO(field) \
    { STATE_GRID_(field), .kind = STATE_ZERO, .seen = true }
/* The member is a cycle or a number of cycles. */
#define SEEN_TIME(field) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .seen = true, .time = true }

/* The member has values up to `limit`. */
#define MOST(field, integer, limit) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .width = sizeof(integer), .most = (limit), .bits = UINT64_MAX }
#define SEEN_MOST(field, integer, limit) \
    { \
        STATE_ROW_(field), .kind = STATE_SAVED, .seen = true, .width = sizeof(integer), .most = (limit), \
                           .bits = UINT64_MAX \
    }
/* The member has no bits set outside `mask`. */
#define BITS(field, integer, mask) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .width = sizeof(integer), .most = UINT64_MAX, .bits = (mask) }
#define FLAG(field)      MOST(field, bool, 1)
#define SEEN_FLAG(field) SEEN_MOST(field, bool, 1)

/* The member is a struct, or an array of structs, with a table of its own. PARTS: some members of that struct are not
 * saved. */
#define INNER(field, table) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .inner = &(table) }
#define INNER_ZERO(field, table) \
    { STATE_ROW_(field), .kind = STATE_ZERO, .inner = &(table) }
#define PARTS(field, table) \
    { STATE_ROW_(field), .kind = STATE_PARTS, .inner = &(table) }
/* `function` hashes the member, or the struct that the member is. */
#define VIEW(field, function) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .view = (function) }
#define VIEW_TIME(field, function) \
    { STATE_ROW_(field), .kind = STATE_SAVED, .view = (function), .time = true }
#define VIEW_GRID(field, function) \
    { STATE_GRID_(field), .kind = STATE_SAVED, .view = (function) }
#define VIEW_GRID_ZERO(field, function) \
    { STATE_GRID_(field), .kind = STATE_ZERO, .view = (function) }
#define VIEW_MOST(field, integer, limit, function) \
    { \
        STATE_ROW_(field), .kind = STATE_SAVED, .width = sizeof(integer), .most = (limit), .bits = UINT64_MAX, \
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
