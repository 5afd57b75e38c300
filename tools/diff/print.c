/* The result of a comparison as text and as JSON: see diff.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"

/* ---- Names -------------------------------------------------------------------------------------------------- */

/* Writes the position of a core's pc in its program, " <main+0x8> sum.c:12", or "". Returns text. */
static const char *where(const struct machine *m, struct bh_xy tile, int core, uint32_t pc, char *text, size_t size) {
    const struct program *program = m && core >= 0 ? machine_program(m, tile, (enum bh_core)core, &pc) : NULL;
    *text = '\0';
    return program ? program_where(program, pc, text, size) : text;
}

/* Does the same for an address in L1, which may be code or data of any core's program. */
static const char *where_in_l1(const struct machine *m, struct bh_xy tile, uint32_t address, char *text, size_t size) {
    *text = '\0';
    for (size_t i = m ? m->image_count : 0; i-- > 0 && !*text;) {
        const struct image *image = &m->images[i];
        if (tile_list_has(&image->tiles, tile) && address >= image->low && address < image->high)
            program_where(image->program, address - image->shift, text, size);
    }
    return text;
}

/* Appends the fields of a configuration word that differ. */
static void add_fields(const struct bh_difference *d, bool thread, unsigned word, char *text, size_t size) {
    uint64_t changed = d->value[0] ^ d->value[1];
    struct bh_isa_config field;
    for (unsigned i = 0; bh_isa_config_at(i, &field) == BH_OK; i++) {
        uint64_t mask = (field.width < 32 ? (UINT64_C(1) << field.width) - 1 : UINT32_MAX) << field.shift;
        size_t used = strlen(text);
        if (field.thread == thread && field.word == word && changed & mask)
            snprintf(text + used, size - used, " %s", field.name);
    }
}

/* Writes the name of a value as text: "brisc x10", "L1 0x00001234 <data> k.c:3", "tensix.config... ALU_ACC". */
static void name_of(const struct diff_report *t, const struct bh_difference *d, char *text, size_t size) {
    unsigned core, index, word;
    int used = 0;
    if (d->part == BH_PART_L1) {
        char position[200];
        snprintf(text, size, "L1 %s%s", d->name,
                 where_in_l1(t->machine[0], d->tile, (uint32_t)d->address, position, sizeof position));
    } else if (d->part == BH_PART_PACKETS) {
        snprintf(text, size, "packet in flight");
    } else if (d->part == BH_PART_DRAM) {
        snprintf(text, size, "DRAM bank %u %s", d->bank, d->name);
    } else if (d->part == BH_PART_TILE && sscanf(d->name, "core[%u].%n", &core, &used) == 1 && used) {
        bool x = sscanf(d->name + used, "x[%u]", &index) == 1;
        if (x)
            snprintf(text, size, "%s x%u", bh_core_name_at(t->chip[0], d->tile, (enum bh_core)core), index);
        else
            snprintf(text, size, "%s %s", bh_core_name_at(t->chip[0], d->tile, (enum bh_core)core), d->name + used);
    } else {
        snprintf(text, size, "%s%s%s", d->part == BH_PART_TILE ? "" : bh_part_name(d->part),
                 d->part == BH_PART_TILE ? "" : " ", d->name);
        if (sscanf(d->name, "tensix.config.bank[%u][%u]", &index, &word) == 2)
            add_fields(d, false, word, text, size);
        else if (sscanf(d->name, "tensix.config.thread[%u][%u]", &index, &word) == 2)
            add_fields(d, true, word, text, size);
    }
}

static void value_text(const struct bh_difference *d, unsigned i, char *text, size_t size) {
    char cycle[GROUPED_SIZE];
    if (d->part == BH_PART_PACKETS)
        snprintf(text, size, "%s", *d->text[i] ? d->text[i] : "none");
    else if (d->time && d->size)
        snprintf(text, size, "cycle %s", grouped(d->value[i], cycle));
    else if (d->size)
        snprintf(text, size, "0x%0*" PRIx64, (int)(2 * d->size), d->value[i]);
    else
        *text = '\0';
}

/* Disassembles an instruction. Tensix words have the form in which they are in code. */
static void instruction_text(uint32_t pc, uint32_t word, char *text, size_t size) {
    bh_disassemble(pc, word, text, size);
}

/* ---- Text --------------------------------------------------------------------------------------------------- */

static void print_difference(const struct diff_report *t, const struct bh_difference *d) {
    char name[400], a[130], b[130];
    name_of(t, d, name, sizeof name);
    value_text(d, 0, a, sizeof a);
    value_text(d, 1, b, sizeof b);
    if (d->tile.x != 255)
        printf("  tile %u,%u  %s\n", d->tile.x, d->tile.y, name);
    else
        printf("  %s\n", name);
    if (*a || *b)
        printf("      A %s\n      B %s\n", a, b);
}

static void print_list(const struct diff_report *t, const struct finding_list *list) {
    char more[GROUPED_SIZE];
    for (size_t i = 0; i < list->count; i++)
        print_difference(t, &list->item[i]);
    if (list->total > list->count)
        printf("  and %s more\n", grouped(list->total - list->count, more));
}

static void print_writer(const struct diff_report *t, unsigned i) {
    const struct writer *w = &t->result->writer[i];
    char position[200], instruction[BH_INSTRUCTION_TEXT];
    if (!w->known || w->core < 0) {
        printf("  %c written by %s\n", 'A' + (int)i, w->known ? w->agent : "nobody in this epoch");
        return;
    }
    instruction_text(w->pc, w->word, instruction, sizeof instruction);
    printf("  %c %s %s at pc 0x%x%s\n      %08x  %s\n", 'A' + (int)i, w->sure ? "written by" : "meanwhile", w->agent,
           w->pc, where(t->machine[i], t->result->tile, w->core, w->pc, position, sizeof position), w->word,
           instruction);
}

/* Returns whether an instruction of the coprocessor was in progress shortly before the difference. */
static bool was_at_work(const struct result *r, const struct bh_event *e) {
    enum { LATENCY = 64 };
    return e->end + LATENCY >= r->from && e->start <= r->cycle;
}

static void print_workers(const struct diff_report *t, unsigned i) {
    const struct result *r = t->result;
    char position[200];
    for (unsigned k = 0; k < r->workers[i]; k++) {
        const struct bh_event *e = &r->worker[i][k].event;
        if (was_at_work(r, e))
            printf("  %c %s was at %s, word 0x%08x, pushed from pc 0x%x%s\n", 'A' + (int)i, bh_track_name(e->track),
                   e->name, e->word, e->pc, where_in_l1(t->machine[i], r->tile, e->pc, position, sizeof position));
    }
}

static bool is_of_tensix(const struct bh_difference *d) {
    return d->part == BH_PART_TILE && strncmp(d->name, "tensix.", 7) == 0;
}

static void print_writers(const struct diff_report *t) {
    const struct result *r = t->result;
    bool tensix = r->found.count && is_of_tensix(&r->found.item[0]);
    for (unsigned i = 0; i < SIDES && tensix; i++)
        print_workers(t, i);
    for (unsigned i = 0; i < SIDES && !tensix && (r->writer[0].known || r->writer[1].known); i++)
        print_writer(t, i);
}

static void print_first(const struct diff_report *t) {
    const struct result *r = t->result;
    char from[GROUPED_SIZE], cycle[GROUPED_SIZE];
    if (r->at_end) {
        printf("%s:\n", t->values ? "values that differ at the end" : "values that differ");
        print_list(t, &r->found);
        return;
    }
    printf("first difference: between cycle %s and cycle %s", grouped(r->from, from), grouped(r->cycle, cycle));
    if (r->tile.x != 255)
        printf(", tile %u,%u", r->tile.x, r->tile.y);
    putchar('\n');
    print_list(t, &r->found);
    print_writers(t);
    if (r->tiles > 1)
        printf("%u tiles differ at the end of that epoch\n", r->tiles);
}

void diff_report_print(const struct diff_report *t) {
    const struct result *r = t->result;
    char count[GROUPED_SIZE];
    for (unsigned i = 0; i < SIDES; i++)
        printf("%c: %s\n", 'A' + (int)i, t->name[i]);
    if (r->inputs_differ) {
        printf("%s word%s or register%s that the host has made different, left out below:\n",
               grouped(r->inputs.total, count), r->inputs.total == 1 ? "" : "s", r->inputs.total == 1 ? "" : "s");
        print_list(t, &r->inputs);
    }
    if (r->differs)
        print_first(t);
    else if (r->interrupted)
        printf("interrupted: equal up to cycle %s\n", grouped(r->end[0], count));
    else if (r->inputs_differ)
        printf("nothing else differs, up to the end in cycle %s\n", grouped(r->end[0], count));
    else if (t->values)
        printf("equal: all values at the end\n");
    else
        printf("equal, up to cycle %s\n", grouped(bh_cycle(t->chip[0]), count));
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static void json_difference(struct json *j, const struct diff_report *t, const struct bh_difference *d) {
    char name[400], value[130];
    name_of(t, d, name, sizeof name);
    json_open_line(j, NULL, '{');
    json_string(j, "part", bh_part_name(d->part));
    if (d->tile.x != 255) {
        char tile[16];
        snprintf(tile, sizeof tile, "%u,%u", d->tile.x, d->tile.y);
        json_string(j, "tile", tile);
    }
    if (d->part == BH_PART_DRAM)
        json_number(j, "bank", d->bank);
    if (d->part == BH_PART_L1 || d->part == BH_PART_DRAM)
        json_number(j, "address", d->address);
    json_string(j, "member", d->name);
    json_string(j, "name", name);
    for (unsigned i = 0; i < SIDES; i++) {
        value_text(d, i, value, sizeof value);
        json_string(j, i ? "b" : "a", value);
    }
    json_close_line(j, '}');
}

static void json_list(struct json *j, const struct diff_report *t, const char *key, const struct finding_list *list) {
    json_open(j, key, '[');
    for (size_t i = 0; i < list->count; i++)
        json_difference(j, t, &list->item[i]);
    json_close(j, ']');
}

static void json_workers(struct json *j, const struct diff_report *t, unsigned i) {
    const struct result *r = t->result;
    char position[200];
    json_open(j, i ? "b_at_work" : "a_at_work", '[');
    for (unsigned k = 0; k < r->workers[i]; k++) {
        const struct bh_event *e = &r->worker[i][k].event;
        if (!was_at_work(r, e))
            continue;
        json_open_line(j, NULL, '{');
        json_string(j, "unit", bh_track_name(e->track));
        json_string(j, "instruction", e->name);
        json_number(j, "word", e->word);
        json_number(j, "pc", e->pc);
        where_in_l1(t->machine[i], r->tile, e->pc, position, sizeof position);
        if (*position)
            json_string(j, "where", position + 1);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

static void json_writer(struct json *j, const struct diff_report *t, unsigned i) {
    const struct writer *w = &t->result->writer[i];
    char text[BH_INSTRUCTION_TEXT];
    if (!w->known)
        return;
    json_open_line(j, i ? "b_written_by" : "a_written_by", '{');
    json_string(j, "agent", w->agent);
    json_bool(j, "sure", w->sure);
    if (w->core >= 0) {
        json_number(j, "pc", w->pc);
        instruction_text(w->pc, w->word, text, sizeof text);
        json_string(j, "instruction", text);
        where(t->machine[i], t->result->tile, w->core, w->pc, text, sizeof text);
        if (*text)
            json_string(j, "where", text + 1);
    }
    json_close_line(j, '}');
}

void diff_report_json(const struct diff_report *t) {
    const struct result *r = t->result;
    struct json j;
    json_init(&j, stdout);
    json_open(&j, NULL, '{');
    json_string(&j, "a", t->name[0]);
    json_string(&j, "b", t->name[1]);
    json_bool(&j, "equal", !r->differs && !r->inputs_differ && !r->interrupted);
    json_string(&j, "compared", t->values ? "values at the end" : "state");
    if (r->inputs_differ) {
        json_number(&j, "inputs_that_differ", r->inputs.total);
        json_list(&j, t, "inputs", &r->inputs);
    }
    if (r->differs && !r->at_end) {
        json_number(&j, "from_cycle", r->from);
        json_number(&j, "cycle", r->cycle);
    }
    if (r->differs) {
        json_number(&j, "values_that_differ", r->found.total);
        json_list(&j, t, "differences", &r->found);
        bool tensix = r->found.count && is_of_tensix(&r->found.item[0]);
        for (unsigned i = 0; i < SIDES; i++)
            tensix ? json_workers(&j, t, i) : json_writer(&j, t, i);
    }
    json_close(&j, '}');
    json_end(&j);
}
