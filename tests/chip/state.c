/* The tables of saved state (base/state.h) against the structs, as the compiler describes them in this program: every
 * member is in its table, and what is saved as bytes has no pointer in it. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "chip/chip.h"

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

/* Returns whether a value of this type contains a pointer. */
static bool has_pointer(Dwarf_Die *die) {
    Dwarf_Die type, child;
    switch (dwarf_tag(die)) {
    case DW_TAG_pointer_type: return true;
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        if (dwarf_child(die, &child) == 0)
            do
                if (dwarf_tag(&child) == DW_TAG_member && type_of(&child, &type) && has_pointer(&type))
                    return true;
            while (dwarf_siblingof(&child, &child) == 0);
        return false;
    case DW_TAG_base_type:
    case DW_TAG_enumeration_type: return false;
    default: return type_of(die, &type) && has_pointer(&type);
    }
}

static const struct state_member *member_at(const struct state_table *table, const char *name, Dwarf_Word offset) {
    for (uint32_t i = 0; i < table->count; i++)
        if (table->member[i].offset == offset && (!name || strcmp(table->member[i].name, name) == 0))
            return &table->member[i];
    return NULL;
}

static void check_member(const struct state_table *table, Dwarf_Die *die) {
    const struct state_member *member = member_at(table, dwarf_diename(die), offset_of(die));
    Dwarf_Die type;
    if (!member)
        fail_msg("the table of struct %s lacks %s at offset %u", table->name, dwarf_diename(die),
                 (unsigned)offset_of(die));
    if ((member->kind == STATE_SAVED || member->kind == STATE_ZERO) && !member->inner && type_of(die, &type) &&
        has_pointer(&type))
        fail_msg("struct %s: %s is saved as bytes, but has a pointer", table->name, member->name);
}

static void check_order(const struct state_table *table) {
    for (uint32_t i = 1; i < table->count; i++)
        if (table->member[i].offset <= table->member[i - 1].offset)
            fail_msg("the table of struct %s: %s is out of order", table->name, table->member[i].name);
}

static void check_table(Dwarf *debug, const struct state_table *table) {
    Dwarf_Die structure, die;
    if (!find_struct(debug, table->name, &structure))
        fail_msg("there is no struct %s", table->name);
    assert_int_equal(dwarf_child(&structure, &die), 0);
    do
        if (dwarf_tag(&die) == DW_TAG_member)
            check_member(table, &die);
    while (dwarf_siblingof(&die, &die) == 0);
    check_order(table);
    for (uint32_t i = 0; i < table->count; i++)
        if (table->member[i].inner)
            check_table(debug, table->member[i].inner);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_every_member),
        cmocka_unit_test(bytes_come_back),
    };
    return cmocka_run_group_tests(tests, open_program, close_program);
}
