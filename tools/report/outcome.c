/* Outcomes: see outcome.h. */
#include "report/outcome.h"

#include <string.h>

#include "report/hazards.h"
#include "text/text.h"

/* ---- Outcome ---------------------------------------------------------------------------------------------- */

/* Writes the state of a core. The pc of a waiting core is left out: where it stands in its loop depends on time. */
static void write_core(FILE *out, const struct machine *m, struct bh_xy tile, enum bh_core core) {
    struct bh_core_info info;
    uint32_t a0 = 0;
    if (bh_core_query(m->chip, tile, core, &info) != BH_OK || info.state == BH_CORE_IN_RESET)
        return;
    fprintf(out, "core %u,%u %s %s", tile.x, tile.y, bh_core_name_at(m->chip, tile, core), state_name(info.state));
    bh_core_get(m->chip, tile, core, BH_REG_X0 + 10, &a0);
    if (info.state == BH_CORE_PAUSED)
        fprintf(out, " at pc 0x%08x, a0 0x%08x", info.pc, a0);
    fputc('\n', out);
}

static void write_faults(FILE *out, const struct machine *m) {
    for (size_t i = 0; i < m->fault_count; i++)
        fprintf(out, "fault %u,%u: %s\n", m->faults[i].fault.tile.x, m->faults[i].fault.tile.y,
                m->faults[i].fault.text);
}

static bool is_zero(const uint8_t *data, size_t size) {
    return data[0] == 0 && memcmp(data, data + 1, size - 1) == 0;
}

/* Writes a dump without rows of zeros, so that whole memories can be compared. */
static void write_bytes(FILE *out, const struct finding *f) {
    enum { ROW = 16 };
    for (size_t row = 0; row < f->size; row += ROW) {
        size_t size = f->size - row < ROW ? f->size - row : ROW;
        if (is_zero(f->data + row, size))
            continue;
        fprintf(out, "bytes %u,%u 0x%08llx:", f->tile.x, f->tile.y, (unsigned long long)f->address + row);
        for (size_t i = 0; i < size; i++)
            fprintf(out, i % 4 ? "%02x" : " %02x", f->data[row + i]);
        fputc('\n', out);
    }
}

static void write_text(FILE *out, const struct finding *f) {
    fprintf(out, "text %u,%u 0x%08llx: ", f->tile.x, f->tile.y, (unsigned long long)f->address);
    for (size_t i = 0; i < f->size; i++)
        fprintf(out, f->data[i] >= 0x20 && f->data[i] < 0x7F ? "%c" : "\\x%02x", f->data[i]);
    fputc('\n', out);
}

static void write_findings(FILE *out, const struct machine *m) {
    for (size_t i = 0; i < m->finding_count; i++) {
        const struct finding *f = &m->findings[i];
        if (f->action->kind == ACTION_PRINT)
            write_text(out, f);
        else if (f->action->kind == ACTION_DUMP && f->data)
            write_bytes(out, f);
        else if (f->failed)
            fprintf(out, "line %u: expectation failed on %u,%u\n", f->action->line, f->tile.x, f->tile.y);
    }
}

void outcome_write(FILE *out, const struct machine *m, int status) {
    fprintf(out, "status %d\n", status);
    write_faults(out, m);
    for (unsigned i = 0; i < machine_core_tiles(m); i++)
        for (unsigned core = 0; core < BH_CORE_COUNT; core++)
            write_core(out, m, machine_core_tile(m, i), (enum bh_core)core);
    write_findings(out, m);
    hazards_causes(out, m);
}

/* ---- Delays ----------------------------------------------------------------------------------------------- */

/* Returns the tile whose core has requested the packet, or pushed the instruction, that was delayed. */
static struct bh_xy tile_of(const struct bh_delay *delay) {
    bool back = delay->kind == BH_DELAY_RESPONSE || delay->kind == BH_DELAY_DRAM;
    return back ? delay->to : delay->tile;
}

static void write_cause(FILE *out, const struct machine *m, const struct bh_delay *delay) {
    char where[200], instruction[BH_INSTRUCTION_TEXT];
    uint32_t pc = delay->pc, word;
    struct bh_xy tile = tile_of(delay);
    if (delay->core < 0 || bh_peek(m->chip, tile, delay->pc, &word, sizeof word) != BH_OK)
        return;
    const struct program *program = machine_program(m, tile, (enum bh_core)delay->core, &pc);
    bh_disassemble(delay->pc, word, instruction, sizeof instruction);
    program_where(program, pc, where, sizeof where);
    fprintf(out, "\t%s %08x  %s%s%s", bh_core_name_at(m->chip, tile, (enum bh_core)delay->core), delay->pc, instruction,
            *where ? "  #" : "", where);
}

static void write_delay(FILE *out, const struct machine *m, const struct bh_delay *delay) {
    char text[80], cycle[GROUPED_SIZE];
    bh_delay_text(delay, text, sizeof text);
    fprintf(out, "%s\t%s", text, bh_delay_kind_text(delay->kind));
    if (delay->kind != BH_DELAY_EVICT)
        fprintf(out, " by %u cycle%s", delay->cycles, delay->cycles == 1 ? "" : "s");
    fprintf(out, ", from cycle %s on", grouped(delay->cycle, cycle));
    write_cause(out, m, delay);
    fputc('\n', out);
}

void outcome_write_delays(FILE *out, const struct machine *m) {
    struct bh_delay delay;
    for (size_t i = 0; bh_delay_at(m->chip, i, &delay) == BH_OK; i++)
        write_delay(out, m, &delay);
    if (bh_delays_incomplete(m->chip))
        fputs("bhemu: no memory for the list of delays\n", stderr);
}
