/* The tables of state (base/state.h) against the structs, as the compiler describes them in this program: every byte of
 * every member is in its table, what is saved as bytes has no pointer in it, and a bool can only be 0 or 1. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "chip/chip.h"
#include "noc/table.h"

struct program {
    int file;
    Dwarf *debug;
};

static int open_program(void **state) {
    static struct program program;
    program.file = open("/proc/self/exe", O_RDONLY);
    program.debug = program.file < 0 ? NULL : dwarf_begin(program.file, DWARF_C_READ);
    *state = &program;
    return program.file < 0 ? -1 : 0;
}

static int close_program(void **state) {
    struct program *program = *state;
    dwarf_end(program->debug);
    return close(program->file);
}

static bool is_struct(Dwarf_Die *die, const char *name) {
    return dwarf_tag(die) == DW_TAG_structure_type && dwarf_hasattr(die, DW_AT_byte_size) && dwarf_diename(die) &&
           strcmp(dwarf_diename(die), name) == 0;
}

static bool find_struct(Dwarf *debug, const char *name, Dwarf_Die *found) {
    Dwarf_Off at = 0, next;
    size_t size;
    for (; dwarf_nextcu(debug, at, &next, &size, NULL, NULL, NULL) == 0; at = next) {
        Dwarf_Die unit;
        if (!dwarf_offdie(debug, at + size, &unit) || dwarf_child(&unit, found) != 0)
            continue;
        do
            if (is_struct(found, name))
                return true;
        while (dwarf_siblingof(found, found) == 0);
    }
    return false;
}

static Dwarf_Word offset_of(Dwarf_Die *member) {
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    if (dwarf_attr(member, DW_AT_data_member_location, &attribute))
        assert_int_equal(dwarf_formudata(&attribute, &offset), 0);
    return offset;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

/* ---- Members down to their integers ------------------------------------------------------------------------- */

/* A member of a struct, or of a struct inside it, at this offset of the whole. */
struct leaf {
    const struct state_table *table;
    const char *name;
    Dwarf_Word offset, size;
    bool is_pointer, is_bool;
};

static void check_leaf(const struct leaf *leaf) {
    for (Dwarf_Word at = leaf->offset; at < leaf->offset + leaf->size; at++) {
        const struct state_member *member = NULL;
        for (uint32_t i = 0; i < leaf->table->count; i++) {
            const struct state_member *m = &leaf->table->member[i];
            if (at >= m->offset && at < m->offset + m->size)
                member = m;
        }
        if (!member)
            fail_msg("the table of struct %s lacks byte %u, of %s", leaf->table->name, (unsigned)at, leaf->name);
        bool saved = member->kind == STATE_SAVED || member->kind == STATE_ZERO;
        if (!saved || member->inner)
            continue;
        if (leaf->is_pointer)
            fail_msg("struct %s: %s is saved as bytes, but has a pointer", leaf->table->name, leaf->name);
        unsigned byte = member->width ? (unsigned)(at - member->offset) % member->width : 0;
        if (leaf->is_bool &&
            !(member->width == 1 ? member->most <= 1 : member->width && (member->bits >> 8 * byte & 0xFF) <= 1))
            fail_msg("struct %s: a bool of %s can have other values than 0 and 1", leaf->table->name, leaf->name);
    }
}

static Dwarf_Word size_of(Dwarf_Die *type) {
    Dwarf_Word size = 0;
    assert_int_equal(dwarf_aggregate_size(type, &size), 0);
    return size;
}

static void check_type(struct leaf leaf, Dwarf_Die *type);

static void check_fields(const struct leaf *leaf, Dwarf_Die *structure) {
    Dwarf_Die die, type;
    if (dwarf_child(structure, &die) != 0)
        return;
    do {
        struct leaf inner = *leaf;
        if (dwarf_tag(&die) != DW_TAG_member || !type_of(&die, &type))
            continue;
        inner.name = dwarf_diename(&die) ? dwarf_diename(&die) : leaf->name;
        inner.offset += offset_of(&die);
        check_type(inner, &type);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Elements of an array one by one; big ones of integers as a whole. */
static void check_array(const struct leaf *leaf, Dwarf_Die *element, Dwarf_Word size) {
    struct leaf one = *leaf;
    Dwarf_Word each = size_of(element);
    for (one.offset = leaf->offset; one.offset < leaf->offset + size; one.offset += each)
        check_type(one, element);
}

static void check_type(struct leaf leaf, Dwarf_Die *type) {
    Dwarf_Die inner;
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    if (dwarf_tag(type) == DW_TAG_array_type && dwarf_aggregate_size(type, &leaf.size) != 0)
        return; /* of any length, behind the struct: no table has it */
    leaf.size = size_of(type);
    switch (dwarf_tag(type)) {
    case DW_TAG_structure_type:
    case DW_TAG_union_type: check_fields(&leaf, type); return;
    case DW_TAG_array_type:
        assert_true(type_of(type, &inner));
        check_array(&leaf, &inner, leaf.size);
        return;
    case DW_TAG_pointer_type: leaf.is_pointer = true; break;
    case DW_TAG_base_type:
        if (dwarf_attr_integrate(type, DW_AT_encoding, &attribute))
            (void)dwarf_formudata(&attribute, &encoding);
        leaf.is_bool = encoding == DW_ATE_boolean;
        break;
    case DW_TAG_enumeration_type: break;
    default:
        if (type_of(type, &inner))
            check_type(leaf, &inner);
        return;
    }
    check_leaf(&leaf);
}

/* ---- Tables ------------------------------------------------------------------------------------------------- */

/* Rows that have an element type have the one of the struct. */
static void check_width(const struct state_table *table, Dwarf_Die *die) {
    Dwarf_Die type, inner;
    if (!dwarf_diename(die) || !type_of(die, &type))
        return;
    while ((dwarf_tag(&type) != DW_TAG_base_type && dwarf_tag(&type) != DW_TAG_enumeration_type) &&
           type_of(&type, &inner))
        type = inner;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct state_member *member = &table->member[i];
        if (member->width && strcmp(member->name, dwarf_diename(die)) == 0 && member->width != size_of(&type))
            fail_msg("struct %s: an integer of %s has not %u bytes", table->name, member->name, member->width);
    }
}

static void check_order(const struct state_table *table) {
    for (uint32_t i = 1; i < table->count; i++)
        if (table->member[i].offset <= table->member[i - 1].offset)
            fail_msg("the table of struct %s: %s is out of order", table->name, table->member[i].name);
}

/* A struct that is saved as bytes saves all of its members. */
static void check_inner(const struct state_table *table, const struct state_member *outer) {
    for (uint32_t i = 0; i < table->count; i++)
        if (table->member[i].kind == STATE_DERIVED || table->member[i].kind == STATE_WIRING)
            fail_msg("%s is saved as bytes, but %s of struct %s is not saved", outer->name, table->member[i].name,
                     table->name);
}

static void check_table(Dwarf *debug, const struct state_table *table) {
    Dwarf_Die structure, die;
    if (!find_struct(debug, table->name, &structure))
        fail_msg("there is no struct %s", table->name);
    assert_int_equal(size_of(&structure), table->size);
    check_fields(&(struct leaf){ .table = table }, &structure);
    assert_int_equal(dwarf_child(&structure, &die), 0);
    do
        if (dwarf_tag(&die) == DW_TAG_member)
            check_width(table, &die);
    while (dwarf_siblingof(&die, &die) == 0);
    check_order(table);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct state_member *member = &table->member[i];
        if (!member->inner)
            continue;
        assert_int_equal(member->size % member->inner->size, 0);
        if (member->kind == STATE_SAVED || member->kind == STATE_ZERO)
            check_inner(member->inner, member);
        check_table(debug, member->inner);
    }
}

static void tables_have_every_member(void **state) {
    struct program *program = *state;
    Dwarf_Die any;
    if (!program->debug || !find_struct(program->debug, "tile", &any)) {
        print_message("built without debug information\n");
        skip();
    }
    check_table(program->debug, &chip_state);
    check_table(program->debug, &tile_state);
    check_table(program->debug, &transaction_state);
    check_table(program->debug, &arrival_state);
    check_table(program->debug, &mail_fault_state);
    check_table(program->debug, &eth_port_state);
    check_table(program->debug, &eth_frame_state);
    check_table(program->debug, &eth_record_state);
}

/* ---- Limits ------------------------------------------------------------------------------------------------- */

/* Every limit of every table, as text. A load trusts the values that the tables let through, and refuses a chip with
 * any other one: a limit that changes by mistake breaks either. `chip_state --print` writes the list again. */
static const char *const limits[] = {
#include "limits.inc"
};

/* Calls `report` for each member with a limit, of each table once. */
struct walk {
    void (*report)(struct walk *walk, const char *text);
    unsigned count; /* limits so far */
    unsigned tables;
    const struct state_table *table[128];
};

static bool is_new(struct walk *walk, const struct state_table *table) {
    for (unsigned i = 0; i < walk->tables; i++)
        if (walk->table[i] == table)
            return false;
    assert_true(walk->tables < sizeof walk->table / sizeof walk->table[0]);
    walk->table[walk->tables++] = table;
    return true;
}

static void walk_table(struct walk *walk, const struct state_table *table) {
    char text[160];
    if (!is_new(walk, table))
        return;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct state_member *m = &table->member[i];
        if (m->inner)
            walk_table(walk, m->inner);
        if (!m->width)
            continue;
        snprintf(text, sizeof text, "%s.%s %s %llx", table->name, m->name,
                 m->most == UINT64_MAX ? "&" : "<=", (unsigned long long)(m->most == UINT64_MAX ? m->bits : m->most));
        walk->report(walk, text);
        walk->count++;
    }
}

static void walk_tables(struct walk *walk) {
    walk_table(walk, &chip_state);
    walk_table(walk, &tile_state);
    walk_table(walk, &transaction_state);
    walk_table(walk, &arrival_state);
    walk_table(walk, &mail_fault_state);
    walk_table(walk, &eth_port_state);
    walk_table(walk, &eth_frame_state);
    walk_table(walk, &eth_record_state);
}

static void compare_limit(struct walk *walk, const char *text) {
    const char *listed = walk->count < sizeof limits / sizeof limits[0] ? limits[walk->count] : "nothing";
    if (strcmp(text, listed) != 0)
        fail_msg("the tables have %s, and limits.inc %s; if that is intended: chip_state --print >limits.inc", text,
                 listed);
}

static void print_limit(struct walk *walk, const char *text) {
    (void)walk;
    printf("\"%s\",\n", text);
}

static void limits_are_listed(void **state) {
    struct walk walk = { .report = compare_limit };
    (void)state;
    walk_tables(&walk);
    assert_int_equal(walk.count, sizeof limits / sizeof limits[0]);
}

/* Of any size, whole pages or not, and with zeros in it or not. */
static void bytes_come_back(void **state) {
    enum { MOST = 8300 };
    static uint8_t bytes[MOST], back[MOST];
    (void)state;
    for (unsigned i = 0; i < MOST; i++)
        bytes[i] = i / 64 % 3 ? (uint8_t)(i * 7 + 1) : 0;
    for (size_t size = 1; size <= MOST; size++) {
        struct state_out out = { 0 };
        state_put_sparse(&out, bytes, size);
        struct state_in in = { .at = out.bytes, .end = out.bytes + out.count };
        memset(back, 0, sizeof back);
        state_get_sparse(&in, back, size);
        assert_false(in.failed);
        assert_true(in.at == in.end);
        assert_memory_equal(back, bytes, size);
        free(out.bytes);
    }
}

int main(int count, char **argument) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_every_member),
        cmocka_unit_test(limits_are_listed),
        cmocka_unit_test(bytes_come_back),
    };
    if (count > 1 && strcmp(argument[1], "--print") == 0) {
        walk_tables(&(struct walk){ .report = print_limit });
        return 0;
    }
    return cmocka_run_group_tests(tests, open_program, close_program);
}
