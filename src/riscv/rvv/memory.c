/* Vector loads and stores: unit-stride, strided, indexed, their segments, fault-only-first, masks, whole registers.
 *
 * Source: RISC-V "V" 1.0 section 7. Every element is one access of its width, in the order of elements and, within an
 * element, of fields; the port checks alignment. An access that has to wait records its position in struct vec_state.
 * The next execution of the same word continues there, so that no access is made twice. */
#include "riscv/rvv/op.h"

struct access {
    const struct vec_op *op;
    struct vec_operand data; /* registers of the first field */
    uint32_t count;          /* number of elements */
    uint32_t stride;         /* bytes between elements; unused for indexed accesses */
    uint8_t group;           /* registers from one field to the next */
};

static uint32_t address_of(const struct access *a, uint32_t i, unsigned field) {
    uint32_t offset = a->op->row->operation == OP_INDEXED ? vec_get(a->op, &a->op->vs2, i) : i * a->stride;
    return a->op->scalar + offset + (field << (a->data.eew_log - 3));
}

static enum bus_result access_element(const struct access *a, uint32_t i, unsigned field) {
    const struct vec_port *port = a->op->port;
    struct vec_operand data = a->data;
    unsigned size = 1u << (data.eew_log - 3);
    uint32_t value = 0;

    data.reg = (uint8_t)(data.reg + field * a->group);
    if (a->op->row->flags & F_STORE)
        return port->store(port->owner, address_of(a, i, field), size, vec_get(a->op, &data, i));
    enum bus_result result = port->load(port->owner, address_of(a, i, field), size, &value);
    if (result == BUS_OK)
        vec_set(a->op, &data, i, value);
    return result;
}

/* Returns whether a fault-only-first load ends before element i. Element 0 faults normally; a later element that would
 * fault, in any field, ends the vector. */
static bool ends_here(const struct access *a, uint32_t i) {
    const struct vec_port *port = a->op->port;
    if (a->op->row->operation != OP_FAULT_FIRST || i == 0)
        return false;
    for (unsigned field = 0; field < a->op->fields; field++)
        if (port->load_faults(port->owner, address_of(a, i, field), 1u << (a->data.eew_log - 3)))
            return true;
    return false;
}

static void plan(struct access *a, const struct vec_op *op) {
    *a = (struct access){ .op = op, .data = op->vd, .count = op->vl, .group = (uint8_t)(op->vd.count / op->fields) };
    if (op->row->operation == OP_BITS) {
        a->data.eew_log = 3;
        a->count = (op->vl + 7) / 8;
    } else if (op->row->operation == OP_WHOLE) {
        a->data.eew_log = (uint8_t)vec_access_log(op);
        a->count = op->vd.count * (VEC_VLEN >> a->data.eew_log);
    }
    a->stride = op->row->operation == OP_STRIDED ? op->x[op->insn.rs2] : (uint32_t)op->fields << (a->data.eew_log - 3);
}

enum vec_result vec_memory(const struct vec_op *op) {
    struct vec_state *v = op->v;
    struct access a;
    plan(&a, op);
    uint32_t done = v->wait_word == op->word ? v->wait_done : 0;
    v->wait_word = 0;
    for (uint32_t n = done; n < a.count * op->fields; n++) {
        uint32_t i = n / op->fields;
        unsigned field = n % op->fields;
        if (!vec_active(op, i))
            continue;
        if (field == 0 && ends_here(&a, i)) {
            v->vl = i;
            return VEC_DONE;
        }
        enum bus_result result = access_element(&a, i, field);
        if (result == BUS_FAULT)
            return VEC_FAULT;
        if (result != BUS_OK) {
            v->wait_word = op->word;
            v->wait_done = n;
            return VEC_WAIT;
        }
    }
    return VEC_DONE;
}
