/* RISC-V disassembler over the table of riscv.def.
 *
 * The text is that of GNU binutils 2.40 (tests/isa compares the two). It differs where these cores do: CSRs that they
 * lack are numbers, and a fence is a fence whatever its reserved bits hold, as is an fcvt.s.h with a rounding mode.
 *
 * Operand templates (TEXT in the .def files); every other character stands for itself:
 *     d s t r   rd, rs1, rs2, rs3: a register or a number, as the format says
 *     i h u     the immediate in decimal; in hexadecimal; its upper 20 bits in hexadecimal
 *     a         the address pc + immediate
 *     c         a CSR                       f   predecessor and successor sets of a fence
 *     m         ",mode" unless dynamic      y   vtype
 *     v         ",v0.t" if masked           0   "v0"
 */
#include "isa/riscv.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"

struct sink {
    char *text;
    size_t size, length; /* length: of the whole text, even beyond size */
};

static void put(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct sink *sink, const char *format, ...) {
    bool room = sink->length < sink->size;
    va_list arguments;
    va_start(arguments, format);
    int length =
        vsnprintf(room ? sink->text + sink->length : NULL, room ? sink->size - sink->length : 0, format, arguments);
    va_end(arguments);
    sink->length += length > 0 ? (size_t)length : 0;
}

static const char *const x_names[32] = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static const char *const f_names[32] = {
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
    "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

/* The CSRs of CSRs.md that have a standard name. Others are printed as numbers, as other tools do. */
static const struct {
    uint16_t number;
    const char *name;
} csr_names[] = {
    { 0x003, "fcsr" },          { 0x008, "vstart" },  { 0x009, "vxsat" },         { 0x00A, "vxrm" },
    { 0x300, "mstatus" },       { 0x301, "misa" },    { 0x320, "mcountinhibit" }, { 0x323, "mhpmevent3" },
    { 0x324, "mhpmevent4" },    { 0xB00, "mcycle" },  { 0xB02, "minstret" },      { 0xB03, "mhpmcounter3" },
    { 0xB04, "mhpmcounter4" },  { 0xB80, "mcycleh" }, { 0xB82, "minstreth" },     { 0xB83, "mhpmcounter3h" },
    { 0xB84, "mhpmcounter4h" }, { 0xC00, "cycle" },   { 0xC02, "instret" },       { 0xC20, "vl" },
    { 0xC21, "vtype" },         { 0xC22, "vlenb" },   { 0xC80, "cycleh" },        { 0xC82, "instreth" },
    { 0xF14, "mhartid" },
};

static void put_csr(struct sink *sink, uint32_t number) {
    for (size_t i = 0; i < sizeof csr_names / sizeof *csr_names; i++)
        if (csr_names[i].number == number) {
            put(sink, "%s", csr_names[i].name);
            return;
        }
    put(sink, "0x%x", number);
}

static void put_field(struct sink *sink, enum rv_field kind, unsigned value) {
    switch (kind) {
    case RV_FIELD_X: put(sink, "%s", x_names[value]); break;
    case RV_FIELD_F: put(sink, "%s", f_names[value]); break;
    case RV_FIELD_V: put(sink, "v%u", value); break;
    case RV_FIELD_NUMBER: put(sink, "%u", value); break;
    case RV_FIELD_O:
    case RV_FIELD_VM: break;
    }
}

static void put_fence_set(struct sink *sink, uint32_t set) {
    put(sink, "%s%s%s%s%s", set & 8 ? "i" : "", set & 4 ? "o" : "", set & 2 ? "r" : "", set & 1 ? "w" : "",
        set ? "" : "unknown");
}

static void put_rounding(struct sink *sink, uint32_t mode) {
    static const char *const names[8] = { "rne", "rtz", "rdn", "rup", "rmm", "unknown", "unknown", "dyn" };
    if (mode != 7)
        put(sink, ",%s", names[mode]);
}

static void put_vtype(struct sink *sink, uint32_t vtype) {
    static const char *const group[8] = { "m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2" };
    uint32_t width = bits_get(vtype, 3, 3);
    if (vtype >> 8 || width > 3 || !group[vtype & 7])
        put(sink, "%u", vtype);
    else
        put(sink, "e%u,%s,%s,%s", 8u << width, group[vtype & 7], vtype & 0x40 ? "ta" : "tu",
            vtype & 0x80 ? "ma" : "mu");
}

static void put_operand(struct sink *sink, char letter, uint32_t pc, const struct rv_insn *insn) {
    const struct rv_shape *shape = rv_shape(rv_row(insn->id)->format);
    uint32_t imm = (uint32_t)insn->imm;
    switch (letter) {
    case 'd': put_field(sink, shape->rd, insn->rd); break;
    case 's': put_field(sink, shape->rs1, insn->rs1); break;
    case 't': put_field(sink, shape->rs2, insn->rs2); break;
    case 'r': put_field(sink, shape->rs3, insn->rs3); break;
    case 'i': put(sink, "%d", insn->imm); break;
    case 'h': put(sink, "0x%x", imm); break;
    case 'u': put(sink, "0x%x", imm >> 12); break;
    case 'a': put(sink, "0x%x", pc + imm); break;
    case 'c': put_csr(sink, imm); break;
    case 'f':
        put_fence_set(sink, bits_get(imm, 4, 4));
        put(sink, ",");
        put_fence_set(sink, bits_get(imm, 0, 4));
        break;
    case 'm': put_rounding(sink, imm); break;
    case 'y': put_vtype(sink, imm); break;
    case 'v': put(sink, "%s", insn->rs3 ? "" : ",v0.t"); break;
    case '0': put(sink, "v0"); break;
    default: put(sink, "%c", letter);
    }
}

static void put_operands(struct sink *sink, const char *text, uint32_t pc, const struct rv_insn *insn) {
    if (*text)
        put(sink, " ");
    for (; *text; text++)
        put_operand(sink, *text, pc, insn);
}

/* Writes the mnemonic of the row, with the suffixes that operands select. */
static void put_name(struct sink *sink, const struct rv_insn *insn) {
    static const char *const order[4] = { "", ".rl", ".aq", ".aqrl" };
    const struct rv_row *row = rv_row(insn->id);
    enum rv_imm kind = rv_shape(row->format)->imm;
    int prefix = (int)strcspn(row->name, "e");
    if (kind == RV_IMM_AQRL)
        put(sink, "%s%s", row->name, order[insn->imm]);
    else if (kind == RV_IMM_NF && insn->imm) /* vle8.v -> vlseg2e8.v */
        put(sink, "%.*sseg%d%s", prefix, row->name, insn->imm + 1, row->name + prefix);
    else
        put(sink, "%s", row->name);
}

size_t riscv_disasm(uint32_t pc, uint32_t word, char *text, size_t size) {
    struct sink sink = { .text = text, .size = size };
    struct rv_insn insn;
    if (rv_decode(word, &insn) == RV_NONE) {
        put(&sink, ".word 0x%08x", word);
        return sink.length;
    }
    put_name(&sink, &insn);
    put_operands(&sink, rv_shape(rv_row(insn.id)->format)->text, pc, &insn);
    return sink.length;
}
