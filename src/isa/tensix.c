/* The Tensix instruction table: rows, their checks, the decoder and the disassembler, all from tensix.def. A duplicate
 * opcode, overlapping fields and a field that reaches into the opcode do not compile. */
#include "isa/tensix.h"

#include "isa/text.h"

/* Fields of a row are disjoint if and only if the sum of their masks equals their union. */
#define FIELD_MASK(low, width)                  (((UINT64_C(1) << (width)) - 1) << (low))
#define OR_MASK(op, i, name, low, width, used)  | FIELD_MASK(low, width)
#define SUM_MASK(op, i, name, low, width, used) +FIELD_MASK(low, width)
#define CHECK_FIELD(op, i, name, low, width, used) \
    _Static_assert((width) >= 1 && (low) + (width) <= 24, #op " " #name ": a field lies in bits 23:0"); \
    _Static_assert((used) <= (width), #op " " #name ": the hardware uses no more bits than the field has");
#define TENSIX_OP(op, name, state, unit, gate, occupancy, latency, page, meaning, ...) \
    _Static_assert((op) >= 0 && (op) <= 0xBF, #name ": an opcode fits a byte and is not RISC-V when rotated"); \
    TENSIX_EACH(CHECK_FIELD, name, __VA_ARGS__) \
    _Static_assert((UINT64_C(0) TENSIX_EACH(SUM_MASK, name, __VA_ARGS__)) == \
                       (UINT64_C(0) TENSIX_EACH(OR_MASK, name, __VA_ARGS__)), \
                   #name ": fields do not overlap");
#include "isa/tensix.def"

#define STATE_todo                                  false
#define STATE_faults                                false
#define STATE_done                                  true
#define FIELD(op, i, field_name, bit, bits, in_use) { .name = #field_name, .low = bit, .width = bits, .used = in_use },
const struct tensix_row tensix_rows[TENSIX_ROW_COUNT] = {
#define TENSIX_OP(op, op_name, state, op_unit, op_gate, cycles, result, doc, text, ...) \
    [TENSIX_ROW_##op_name] = { \
        .name = #op_name, \
        .page = doc, \
        .meaning = text, \
        .gate = TENSIX_GATE_##op_gate, \
        .opcode = op, \
        .unit = TENSIX_UNIT_##op_unit, \
        .occupancy = cycles, \
        .latency = result, \
        .field_count = TENSIX_COUNT(__VA_ARGS__), \
        .implemented = STATE_##state, \
        .fields = { TENSIX_EACH(FIELD, op_name, __VA_ARGS__){ .name = NULL } }, \
    },
#include "isa/tensix.def"
};

#define CASE(value, result) \
    case value: return result;

const char *tensix_unit_text(enum tensix_unit unit) {
    switch (unit) {
#define TENSIX_UNIT(name, text) CASE(TENSIX_UNIT_##name, text)
#include "isa/tensix.def"
    case TENSIX_UNIT_COUNT: break;
    }
    return "";
}

const char *tensix_gate_text(enum tensix_gate gate) {
    switch (gate) {
#define TENSIX_GATE(name, value, text) CASE(TENSIX_GATE_##name, text)
#include "isa/tensix.def"
    }
    return "";
}

/* A switch, because duplicate cases are an error in C, while duplicate array designators are not. */
unsigned tensix_row_index(uint8_t opcode) {
    switch (opcode) {
#define TENSIX_OP(op, name, ...) CASE(op, TENSIX_ROW_##name)
#include "isa/tensix.def"
    default: return TENSIX_ROW_COUNT;
    }
}

const struct tensix_row *tensix_decode(uint32_t word) {
    unsigned index = tensix_row_index((uint8_t)(word >> 24));
    return index < TENSIX_ROW_COUNT ? &tensix_rows[index] : NULL;
}

static void put_value(struct text *out, const char *name, uint32_t value) {
    text_put(out, value < 10 ? "%s=%u" : "%s=0x%x", name, (unsigned)value);
}

size_t tensix_disasm(uint32_t word, char *text, size_t size) {
    struct text out = text_init(text, size);
    const struct tensix_row *row = tensix_decode(word);
    if (!row) {
        text_put(&out, ".word 0x%08x", (unsigned)word);
        return out.length;
    }
    uint32_t rest = bits_get(word, 0, 24);
    const char *separator = " ";
    text_put(&out, "%s", row->name);
    for (unsigned i = 0; i < row->field_count; i++, separator = ", ") {
        const struct bh_isa_field *field = &row->fields[i];
        text_put(&out, "%s", separator);
        put_value(&out, field->name, bits_get(word, field->low, field->width));
        rest &= ~(bits_get(UINT32_MAX, 0, field->width) << field->low);
    }
    if (rest) {
        text_put(&out, "%s", separator);
        put_value(&out, "bits", rest);
    }
    return out.length;
}
