/* Registers, and descriptions for gdb in XML (see session.h). gdb assumes that all threads of a process have the same
 * registers; those that a core lacks are marked as unavailable. */
#include <stdlib.h>
#include <string.h>

#include "gdb/session.h"

/* ---- Registers ---------------------------------------------------------------------------------------------- */

enum { X = 0, PC = 32, F = 33, FFLAGS = 65, FRM, FCSR, CSR, VECTOR_BYTES = 16 };

struct csr {
    const char *name;
    unsigned number;
};

/* CSRs of the architecture; gdb knows them by these names. */
static const struct csr known[] = {
    { "vstart", 0x008 },  { "vxsat", 0x009 },         { "vxrm", 0x00A },         { "mstatus", 0x300 },
    { "misa", 0x301 },    { "mcountinhibit", 0x320 }, { "mhpmevent3", 0x323 },   { "mhpmevent4", 0x324 },
    { "mcycle", 0xB00 },  { "minstret", 0xB02 },      { "mhpmcounter3", 0xB03 }, { "mhpmcounter4", 0xB04 },
    { "mcycleh", 0xB80 }, { "minstreth", 0xB82 },     { "cycle", 0xC00 },        { "instret", 0xC02 },
    { "cycleh", 0xC80 },  { "instreth", 0xC82 },      { "vl", 0xC20 },           { "vtype", 0xC21 },
    { "vlenb", 0xC22 },   { "mhartid", 0xF14 },
};

static const struct csr own[] = {
    { "tt_cfg0", 0x7C0 },         { "tt_pmacfg0", 0x7C1 },      { "tt_pmacfg1", 0x7C2 },
    { "tt_cfg1", 0x7C3 },         { "tt_csr_7c4", 0x7C4 },      { "tt_csr_7c5", 0x7C5 },
    { "tt_csr_7c6", 0x7C6 },      { "tt_cfg_qstatus", 0xBC0 },  { "tt_cfg_bstatus", 0xBC1 },
    { "tt_cfg_sstatus0", 0xBC2 }, { "tt_cfg_sstatus1", 0xBC3 }, { "tt_cfg_sstatus2", 0xBC4 },
    { "tt_cfg_sstatus3", 0xBC5 }, { "tt_cfg_sstatus4", 0xBC6 }, { "tt_cfg_sstatus5", 0xBC7 },
    { "tt_cfg_sstatus6", 0xBC8 }, { "tt_cfg_sstatus7", 0xBC9 }, { "tt_intp_restore_pc", 0xBCA },
};

#define COUNT(list) (sizeof(list) / sizeof *(list))
enum { OWN = CSR + COUNT(known), VECTOR = OWN + COUNT(own), REGISTERS = VECTOR + 32 };

static size_t size_of(unsigned reg) {
    return reg >= VECTOR ? (size_t)VECTOR_BYTES : 4;
}

/* Returns the number by which bh_core_get knows the first word of a register. */
static unsigned number_of(unsigned reg) {
    if (reg < PC)
        return BH_REG_X0 + reg;
    if (reg == PC)
        return BH_REG_PC;
    if (reg < FFLAGS)
        return BH_REG_F0 + reg - F;
    if (reg <= FCSR)
        return BH_REG_CSR + 3;
    if (reg < OWN)
        return BH_REG_CSR + known[reg - CSR].number;
    return reg < VECTOR ? BH_REG_CSR + own[reg - OWN].number : BH_REG_V0 + 4 * (reg - VECTOR);
}

/* Returns the position of a register inside the word that holds it: fflags and frm are parts of fcsr. */
static unsigned shift_of(unsigned reg) {
    return reg == FRM ? 5 : 0;
}
static uint32_t mask_of(unsigned reg) {
    return reg == FRM ? 7 : reg == FFLAGS ? 31 : UINT32_MAX;
}

static bool get_word(struct gdb *gdb, struct thread t, unsigned reg, unsigned word, uint32_t *value) {
    if (bh_core_get(session_chip(gdb, t.tile), t.tile.xy, (enum bh_core)t.core, number_of(reg) + word, value) != BH_OK)
        return false;
    *value = *value >> shift_of(reg) & mask_of(reg);
    return true;
}

static bool set_word(struct gdb *gdb, struct thread t, unsigned reg, unsigned word, uint32_t value) {
    uint32_t old = 0, mask = mask_of(reg) << shift_of(reg);
    if (mask != UINT32_MAX &&
        bh_core_get(session_chip(gdb, t.tile), t.tile.xy, (enum bh_core)t.core, number_of(reg), &old) != BH_OK)
        return false;
    value = (old & ~mask) | (value << shift_of(reg) & mask);
    return bh_core_set(session_chip(gdb, t.tile), t.tile.xy, (enum bh_core)t.core, number_of(reg) + word, value) ==
           BH_OK;
}

static char *put_register(struct gdb *gdb, struct thread t, unsigned reg, char *text) {
    for (unsigned word = 0; word < size_of(reg) / 4; word++) {
        uint32_t value;
        if (get_word(gdb, t, reg, word, &value)) {
            text = packet_hex(text, &value, sizeof value);
        } else {
            memcpy(text, "xxxxxxxx", 9);
            text += 8;
        }
    }
    return text;
}

/* Sets a register from digits. Unless `must` is set, a register that the core lacks (x's instead of digits, or a
 * refused write) is skipped. */
static bool take_register(struct gdb *gdb, struct thread t, unsigned reg, const char **at, bool must) {
    uint8_t bytes[VECTOR_BYTES];
    uint32_t value, now;
    if (**at == 'x' && !must) {
        *at += strlen(*at) < 2 * size_of(reg) ? strlen(*at) : 2 * size_of(reg);
        return true;
    }
    if (!packet_bytes(at, bytes, size_of(reg)))
        return false;
    bool good = true;
    for (unsigned word = 0; word < size_of(reg) / 4; word++) {
        memcpy(&value, bytes + 4 * word, sizeof value);
        bool same = get_word(gdb, t, reg, word, &now) && now == value; /* a write to pc has effects */
        good &= same || set_word(gdb, t, reg, word, value);
    }
    return good || !must;
}

static const char *take_all(struct gdb *gdb, const char *at) {
    for (unsigned reg = 0; reg < REGISTERS && *at; reg++)
        if (!take_register(gdb, gdb->general, reg, &at, false))
            return "E.not the digits of all registers";
    return *at ? "E.more than all registers" : "OK";
}

static const char *take_one(struct gdb *gdb, const char *at) {
    uint64_t reg;
    if (!packet_number(&at, &reg) || !packet_skip(&at, '=') || reg >= REGISTERS)
        return "E.not a register";
    return take_register(gdb, gdb->general, (unsigned)reg, &at, true) && !*at ? "OK"
                                                                              : "E.the core does not take this value";
}

void describe_registers(struct gdb *gdb, const char *packet, char *answer) {
    const char *at = packet + 1;
    uint64_t reg;
    switch (*packet) {
    case 'g':
        for (unsigned i = 0; i < REGISTERS; i++)
            answer = put_register(gdb, gdb->general, i, answer);
        return;
    case 'p':
        if (packet_number(&at, &reg) && !*at && reg < REGISTERS)
            put_register(gdb, gdb->general, (unsigned)reg, answer);
        else
            strcpy(answer, "E.not a register");
        return;
    case 'G': strcpy(answer, take_all(gdb, at)); return;
    default: strcpy(answer, take_one(gdb, at)); return;
    }
}

void describe_pc(struct gdb *gdb, struct thread thread, char *text) {
    int used = sprintf(text, "%02x:", PC);
    strcpy(put_register(gdb, thread, PC, text + used), ";");
}

void describe_core(struct gdb *gdb, struct thread thread, char *text, size_t size) {
    static const char *const states[] = { "in reset", "running", "polling", "blocked", "paused", "faulted" };
    struct bh_core_info info;
    char where[TILE_TEXT];
    const bh_chip *chip = session_chip(gdb, thread.tile);
    const char *name = bh_core_name_at(chip, thread.tile.xy, (enum bh_core)thread.core);
    if (bh_core_query(chip, thread.tile.xy, (enum bh_core)thread.core, &info) != BH_OK) {
        snprintf(text, size, "%s of %s", name, session_name(gdb, thread.tile, where));
        return;
    }
    int used = snprintf(text, size, "%s of %s, %s", name, session_name(gdb, thread.tile, where), states[info.state]);
    if (*info.waits_on && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ": %s, 0x%x", info.waits_on, info.waits_at);
}

/* ---- XML ---------------------------------------------------------------------------------------------------- */

static void put_escaped(FILE *out, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}

static void put_cpu(FILE *out) {
    static const char *const x[] = { "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                     "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                     "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6" };
    fputs("<feature name=\"org.gnu.gdb.riscv.cpu\">", out);
    for (unsigned i = 0; i < 32; i++)
        fprintf(out, "<reg name=\"%s\" bitsize=\"32\" type=\"%s\"/>", x[i],
                i == 1             ? "code_ptr"
                : i >= 2 && i <= 4 ? "data_ptr"
                                   : "int");
    fputs("<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\"/></feature>", out);
}

static void put_fpu(FILE *out) {
    static const char *const f[] = { "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
                                     "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
                                     "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11" };
    fputs("<feature name=\"org.gnu.gdb.riscv.fpu\">", out);
    for (unsigned i = 0; i < 32; i++)
        fprintf(out, "<reg name=\"%s\" bitsize=\"32\" type=\"ieee_single\"/>", f[i]);
    fputs("<reg name=\"fflags\" bitsize=\"32\" type=\"int\"/><reg name=\"frm\" bitsize=\"32\" type=\"int\"/>"
          "<reg name=\"fcsr\" bitsize=\"32\" type=\"int\"/></feature>",
          out);
}

static void put_csrs(FILE *out, const char *feature, const struct csr *list, size_t count) {
    fprintf(out, "<feature name=\"%s\">", feature);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "<reg name=\"%s\" bitsize=\"32\" type=\"int\" group=\"csr\"/>", list[i].name);
    fputs("</feature>", out);
}

static void put_vector(FILE *out) {
    fputs("<feature name=\"org.gnu.gdb.riscv.vector\"><vector id=\"bytes\" type=\"uint8\" count=\"16\"/>"
          "<vector id=\"shorts\" type=\"uint16\" count=\"8\"/><vector id=\"words\" type=\"uint32\" count=\"4\"/>"
          "<vector id=\"floats\" type=\"ieee_single\" count=\"4\"/><union id=\"riscv_vector\">"
          "<field name=\"b\" type=\"bytes\"/><field name=\"s\" type=\"shorts\"/><field name=\"w\" type=\"words\"/>"
          "<field name=\"f\" type=\"floats\"/></union>",
          out);
    for (unsigned i = 0; i < 32; i++)
        fprintf(out, "<reg name=\"v%u\" bitsize=\"128\" type=\"riscv_vector\" group=\"vector\"/>", i);
    fputs("</feature>", out);
}

static void put_target(FILE *out) {
    fputs("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
          "<architecture>riscv:rv32</architecture><osabi>none</osabi>", /* osabi Linux would make gdb step by itself,
                                                                           which fails at Tensix instructions */
          out);
    put_cpu(out);
    put_fpu(out);
    put_csrs(out, "org.gnu.gdb.riscv.csr", known, COUNT(known));
    put_csrs(out, "org.bhemu.csr", own, COUNT(own));
    put_vector(out);
    fputs("</target>", out);
}

static void put_threads(struct gdb *gdb, FILE *out) {
    char text[200];
    fputs("<?xml version=\"1.0\"?><threads>", out);
    for (unsigned i = 0; i < gdb->tile_count; i++)
        for (int core = 0; core < BH_CORE_COUNT; core++) {
            if (!gdb->attached[i] || !session_core_exists(gdb, i, core))
                continue;
            const struct thread thread = { gdb->tile[i], core };
            describe_core(gdb, thread, text, sizeof text);
            char *space = strchr(text, ' ');
            const char *rest = space ? space + sizeof " of" : ""; /* text is like "brisc of tile 1,2, running" */
            if (space)
                *space = '\0';
            fprintf(out, "<thread id=\"p%x.%x\" name=\"%s\">", session_pid(gdb->tile[i]), core + 1, text);
            put_escaped(out, rest);
            fputs("</thread>", out);
        }
    fputs("</threads>", out);
}

static bool program_at(const struct gdb *gdb, struct tile_id tile, unsigned index, struct gdb_program *program) {
    return gdb->owner.program && gdb->owner.program(gdb->owner.user, tile.chip, tile.xy, index, program);
}

/* Returns whether no program before this index on the tile is the same: cores may share a program. */
static bool is_new(const struct gdb *gdb, struct tile_id tile, unsigned index, const struct gdb_program *program) {
    struct gdb_program other;
    for (unsigned i = 0; i < index && program_at(gdb, tile, i, &other); i++)
        if (strcmp(other.path, program->path) == 0 && other.count == program->count &&
            memcmp(other.section, program->section, program->count * sizeof *program->section) == 0)
            return false;
    return true;
}

/* Returns whether gdb can use the program as the executable of the process: the first one, if it has not moved. Others
 * are presented as libraries. */
static bool is_executable(unsigned index, const struct gdb_program *program) {
    return index == 0 && !program->moved;
}

static bool put_executable(struct gdb *gdb, const char *annex, FILE *out) {
    uint64_t pid = session_pid(gdb->general.tile);
    struct gdb_program program;
    if (*annex && !packet_number(&annex, &pid))
        return false;
    if (!program_at(gdb, session_tile_id(pid), 0, &program) || program.moved)
        return false;
    char *path = realpath(program.path, NULL);
    fputs(path ? path : "", out);
    free(path);
    return path;
}

/* Describes a program as a library. The protocol calls the numbers of sections addresses, but gdb takes them as
 * distances. */
static void put_program(const struct gdb_program *program, FILE *out) {
    char *path = realpath(program->path, NULL);
    if (!path)
        return;
    fputs("<library name=\"", out);
    put_escaped(out, path);
    fputs("\">", out);
    for (unsigned k = 0; k < program->count; k++)
        fprintf(out, "<section address=\"0x%x\"/>", program->section[k]);
    fputs("</library>", out);
    free(path);
}

static void put_programs(struct gdb *gdb, FILE *out) {
    const struct tile_id tile = gdb->general.tile;
    struct gdb_program program;
    fputs("<library-list version=\"1.0\">", out);
    for (unsigned i = 0; program_at(gdb, tile, i, &program); i++)
        if (!is_executable(i, &program) && program.count && is_new(gdb, tile, i, &program))
            put_program(&program, out);
    fputs("</library-list>", out);
}

unsigned describe_program_count(const struct gdb *gdb, unsigned tile) {
    struct gdb_program program;
    unsigned count = 0;
    while (program_at(gdb, gdb->tile[tile], count, &program))
        count++;
    return count;
}

static void put_item(struct gdb *gdb, unsigned tile, FILE *out) {
    static const char letters[] = { '-', 'R', 'P', 'B', 'p', 'F' };
    char states[BH_CORE_COUNT + 1] = "";
    struct bh_core_info info;
    for (int core = 0, n = 0; core < BH_CORE_COUNT; core++)
        if (session_core_exists(gdb, tile, core) &&
            bh_core_query(session_chip(gdb, gdb->tile[tile]), gdb->tile[tile].xy, (enum bh_core)core, &info) == BH_OK) {
            states[n++] = letters[info.state];
            states[n] = '\0';
        }
    const struct tile_id id = gdb->tile[tile];
    fprintf(out, "<item><column name=\"pid\">%u</column>", session_pid(id));
    if (gdb->system)
        fprintf(out, "<column name=\"chip\">%u</column>", id.chip);
    fprintf(out,
            "<column name=\"tile\">%u,%u</column><column name=\"kind\">%s</column>"
            "<column name=\"cores\">%s</column></item>",
            id.xy.x, id.xy.y, gdb->eth[tile] ? "Ethernet" : "Tensix", states);
}

static void put_processes(struct gdb *gdb, FILE *out) {
    fputs("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"osdata.dtd\"><osdata type=\"processes\">", out);
    for (unsigned i = 0; i < gdb->tile_count; i++)
        put_item(gdb, i, out);
    fputs("</osdata>", out);
}

static void put_types(FILE *out) {
    fputs("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"osdata.dtd\"><osdata type=\"types\"><item>"
          "<column name=\"Type\">processes</column><column name=\"Description\">tiles</column>"
          "<column name=\"Title\">Tiles</column></item></osdata>",
          out);
}

char *describe_object(struct gdb *gdb, const char *object, const char *annex) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool good = true;
    if (!out)
        return NULL;
    if (strcmp(object, "features") == 0 && strcmp(annex, "target.xml") == 0)
        put_target(out);
    else if (strcmp(object, "threads") == 0)
        put_threads(gdb, out);
    else if (strcmp(object, "libraries") == 0)
        put_programs(gdb, out);
    else if (strcmp(object, "exec-file") == 0)
        good = put_executable(gdb, annex, out);
    else if (strcmp(object, "osdata") == 0 && strcmp(annex, "processes") == 0)
        put_processes(gdb, out);
    else if (strcmp(object, "osdata") == 0 && !*annex)
        put_types(out);
    else
        good = false;
    if (fclose(out) != 0 || !good) {
        free(text);
        return NULL;
    }
    return text;
}
