/* The log of `spike -l --log-commits`: two lines for each instruction, its disassembly and its results (riscv-isa-sim,
 * processor.cc and execute.cc). Instructions of one core are in order; those of different cores are in the order in
 * which the emulator has run them. Left out: vector registers that keep their value, the memory accesses of vector
 * loads and stores, and rounds of a polling loop that a core slept through. The number of a core is 5 * index of its
 * tile + its own, from brisc 0 to ncrisc 4; cores of Ethernet tiles follow those of the 140 Tensix tiles. Readers
 * expect three digits. */
#include <string.h>

#include "formats/formats.h"
#include "machine/machine.h"

enum { MACHINE_MODE = 3, TEXT = 160 };

static const char *csr_name(int csr) {
    static const struct {
        int number;
        const char *name;
    } names[] = {
        { 0x001, "fflags" },        { 0x002, "frm" },       { 0x003, "fcsr" },   { 0x008, "vstart" },
        { 0x009, "vxsat" },         { 0x00A, "vxrm" },      { 0x00F, "vcsr" },   { 0x305, "mtvec" },
        { 0x320, "mcountinhibit" }, { 0x341, "mepc" },      { 0xB00, "mcycle" }, { 0xB02, "minstret" },
        { 0xB80, "mcycleh" },       { 0xB82, "minstreth" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == csr)
            return names[i].name;
    return "unknown-csr"; /* Spike's text for unknown CSRs */
}

static void put_register(FILE *out, const struct bh_instruction *i) {
    bool whole = i->reg < BH_REG_F0;
    fprintf(out, " %c%-2d 0x%08x", whole ? 'x' : 'f', i->reg - (whole ? BH_REG_X0 : BH_REG_F0), i->value);
}

/* Writes the vector registers that have changed, VLEN bits each, with the type of their elements. */
static void put_vectors(FILE *out, const struct bh_instruction *i) {
    static const char *const groups[] = { "m1", "m2", "m4", "m8", "m1", "mf8", "mf4", "mf2" };
    const uint8_t *value = i->vector;
    fprintf(out, " e%u %s l%u", 8u << (i->vtype >> 3 & 7), groups[i->vtype & 7], i->vl);
    for (unsigned v = 0; v < 32; v++) {
        if (!(i->vectors >> v & 1))
            continue;
        fprintf(out, " v%-2u 0x", v);
        for (unsigned byte = 16; byte-- > 0;)
            fprintf(out, "%02x", value[byte]);
        value += 16;
    }
}

static void put_memory(FILE *out, const struct bh_instruction *i) {
    if (i->access & BH_ACCESS_READ)
        fprintf(out, " mem 0x%08x", i->address);
    if (i->access & BH_ACCESS_WRITE)
        fprintf(out, " mem 0x%08x 0x%0*x", i->address, (int)(2 * i->size), i->stored);
}

static unsigned number_of(const struct machine *m, const struct bh_event *e) {
    struct bh_tile_info info = { 0 };
    bh_tile_find(m->chip, e->tile, &info);
    unsigned tile = info.kind == BH_TILE_TENSIX ? info.index : TENSIX_MAX + info.index;
    return BH_CORE_COUNT * tile + (unsigned)e->track;
}

static void put_event(struct output *o, const struct bh_event *e) {
    const struct bh_instruction *i = e->instruction;
    char text[TEXT];
    if (!i)
        return;
    unsigned number = number_of(o->machine, e);
    bh_disassemble(e->pc, e->word, text, sizeof text);
    fprintf(o->file, "core %3u: 0x%08x (0x%08x) %s\n", number, e->pc, e->word, text);
    fprintf(o->file, "core%4u: %d 0x%08x (0x%08x)", number, MACHINE_MODE, e->pc, e->word);
    if (i->reg >= 0)
        put_register(o->file, i);
    if (i->csr >= 0)
        fprintf(o->file, " c%d_%s 0x%08x", i->csr, csr_name(i->csr), i->csr_value);
    if (i->vectors)
        put_vectors(o->file, i);
    put_memory(o->file, i);
    fputc('\n', o->file);
}

static bool end(struct output *o) {
    (void)o;
    return true;
}

const struct format format_commit = {
    .name = "commit",
    .kind = OUTPUT_TRACE,
    .begins = "",
    .ends = ".commit",
    .reader = "comparing with Spike, riscv-dv and others",
    .watch = BH_WATCH_INSTRUCTIONS,
    .event = put_event,
    .close = end,
};
