/* Hazards of a run: see hazards.h. */
#include "report/hazards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/hazard_text.h"
#include "report/landmarks.h"
#include "report/report.h"
#include "report/suppress.h"

/* The result of a check: the hazards in order, and the suppression that matches each; NULL: the hazard is shown. */
struct result {
    struct hazard_list list;
    const struct suppression **by;
    size_t shown[BH_VERDICT_COUNT], suppressed;
};

/* ---- Names -------------------------------------------------------------------------------------------------- */

/* Returns the program of a side's instruction, and sets *pc to the address in its file. Returns NULL if there is
 * none. */
static const struct program *program_of(const struct machine *m, const struct bh_hazard_side *side, uint32_t *pc) {
    *pc = side->pc;
    return side->core < 0 ? NULL : machine_program(m, side->tile, (enum bh_core)side->core, pc);
}

static struct span symbol_of(const struct machine *m, const struct bh_hazard_side *side) {
    uint32_t pc, offset;
    const struct program *program = program_of(m, side, &pc);
    const char *name = program ? program_symbol(program, pc, &offset) : NULL;
    return span_of(name ? name : "");
}

/* Returns the file and line of the call to the inlined function around an instruction, or NULL if they are those of the
 * instruction itself. */
static const char *call_of(const struct program *program, uint32_t pc, unsigned *line) {
    unsigned own_line = 0;
    const char *file = program ? program_call(program, pc, line) : NULL;
    const char *own = file ? program_line(program, pc, &own_line) : NULL;
    return own && own_line == *line && strcmp(own, file) == 0 ? NULL : file;
}

static void name_side(const struct machine *m, const struct bh_hazard_side *side, char *text, size_t size) {
    uint32_t pc;
    unsigned line;
    const struct program *program = program_of(m, side, &pc);
    size_t used = strlen(program_where(program, pc, text, size));
    const char *file = call_of(program, pc, &line), *base = file ? strrchr(file, '/') : NULL;
    if (file)
        snprintf(text + used, size - used, ", called at %s:%u", base ? base + 1 : file, line);
}

/* Returns the variable of a program that contains an address in L1, or NULL. Labels do not count: they have no size. */
static const char *variable_at(const struct machine *m, struct bh_xy tile, uint32_t address, uint32_t *offset) {
    for (size_t i = m->image_count; i-- > 0;) {
        const struct image *image = &m->images[i];
        uint32_t at, size;
        if (address < image->low || address >= image->high || !tile_list_has(&image->tiles, tile))
            continue;
        const char *name = program_symbol(image->program, address - image->shift, offset);
        if (name && program_find(image->program, span_of(name), &at, &size) && *offset < size)
            return name;
    }
    return NULL;
}

/* Names an address in L1: by a variable, or, unless it is in a circular buffer, by a buffer of a launch file. */
static void name_place(const struct machine *m, const struct bh_hazard *h, char *text, size_t size) {
    uint32_t address = (uint32_t)h->address, offset;
    char landmark[100];
    text[0] = 0;
    if (h->memory != BH_HAZARD_IN_L1)
        return;
    const char *variable = variable_at(m, h->tile, address, &offset);
    if (variable && offset)
        snprintf(text, size, " <%s+0x%x>", variable, offset);
    else if (variable)
        snprintf(text, size, " <%s>", variable);
    else if (!*h->buffer && *landmark_of(m, h->tile, address, landmark, sizeof landmark))
        snprintf(text, size, " (%s)", landmark);
}

static const char *or_any(struct span symbol) {
    return symbol.n ? symbol.p : "*";
}

static struct hazard_names names_of(const struct machine *m, const struct bh_hazard *h) {
    struct hazard_names names;
    names.chip[0] = 0;
    if (m->system_name)
        snprintf(names.chip, sizeof names.chip, "chip %u, ", m->number);
    name_place(m, h, names.place, sizeof names.place);
    name_side(m, &h->first, names.first, sizeof names.first);
    name_side(m, &h->second, names.second, sizeof names.second);
    snprintf(names.suppression, sizeof names.suppression, "%s %s %s", bh_hazard_kind_name(h->kind),
             or_any(symbol_of(m, &h->first)), or_any(symbol_of(m, &h->second)));
    return names;
}

/* ---- Collecting --------------------------------------------------------------------------------------------- */

static const struct suppression *suppression_of(const struct machine *m, const struct bh_hazard *h) {
    return m->suppress ? suppress_find(m->suppress, h->kind, symbol_of(m, &h->first), symbol_of(m, &h->second)) : NULL;
}

static void end(struct result *r) {
    free(r->list.item);
    free(r->by);
}

/* Collects the hazards of a chip. Returns false, after a message, if there is no memory. */
static bool collect(const struct machine *m, struct result *r) {
    *r = (struct result){ 0 };
    if (hazard_list_make(m->chip, &r->list))
        r->by = calloc(r->list.count + 1, sizeof *r->by);
    if (!r->by) {
        fprintf(stderr, "bhemu: no memory for the list of hazards\n");
        end(r);
        return false;
    }
    for (size_t i = 0; i < r->list.count; i++) {
        r->by[i] = suppression_of(m, &r->list.item[i]);
        r->suppressed += r->by[i] != NULL;
        r->shown[r->list.item[i].verdict] += r->by[i] == NULL;
    }
    return true;
}

static bool is_used(const struct result *r, const struct suppression *suppression) {
    for (size_t i = 0; i < r->list.count; i++)
        if (r->by[i] == suppression)
            return true;
    return false;
}

/* Returns the next suppression, from *index on, that has matched nothing, and moves *index past it. Returns NULL if
 * there is none. */
static const struct suppression *next_unused(const struct machine *m, const struct result *r, size_t *index) {
    while (m->suppress && *index < m->suppress->count) {
        const struct suppression *s = &m->suppress->item[(*index)++];
        if (!is_used(r, s))
            return s;
    }
    return NULL;
}

bool hazards_have_race(const struct machine *m) {
    struct result r;
    if (!m->check || !collect(m, &r))
        return false;
    bool race = r.shown[BH_VERDICT_RACE] != 0;
    end(&r);
    return race;
}

/* ---- Text --------------------------------------------------------------------------------------------------- */

static void print_unused(const struct machine *m, const struct result *r) {
    size_t index = 0;
    for (const struct suppression *s; (s = next_unused(m, r, &index));)
        printf("%s:%u: no hazard matches %.*s %.*s %.*s\n", m->suppress_path, s->line, SPAN(s->kind_name),
               SPAN(s->first), SPAN(s->second));
}

static void print_all(const struct machine *m, const struct result *r) {
    for (size_t i = 0; i < r->list.count; i++) {
        if (r->by[i])
            continue;
        struct hazard_names names = names_of(m, &r->list.item[i]);
        hazard_text(stdout, m->chip, &r->list.item[i], &names);
    }
}

void hazards_print(const struct machine *m) {
    struct result r;
    if (!m->check || !collect(m, &r))
        return;
    print_all(m, &r);
    print_unused(m, &r);
    hazard_totals(stdout, m->chip, "", r.shown, r.suppressed);
    end(&r);
}

/* Prints the suppressions that no chip of the system has used. Ranks print none: no process knows all chips. */
static void unused_by_all(const struct machine *m, const struct result *r, size_t count) {
    struct result all = { 0 };
    for (size_t i = 0; i < count; i++)
        all.list.count += r[i].list.count;
    all.by = calloc(all.list.count + 1, sizeof *all.by);
    for (size_t i = 0, used = 0; all.by && i < count; used += r[i++].list.count)
        memcpy(all.by + used, r[i].by, r[i].list.count * sizeof *all.by);
    if (all.by)
        print_unused(m, &all);
    free(all.by);
}

void hazards_print_system(const struct machine *m) {
    struct result *r = m->check ? calloc(m->other_count + 1, sizeof *r) : NULL;
    const struct machine **chip = m->check ? calloc(m->other_count + 1, sizeof(struct machine *)) : NULL;
    size_t count = 0;
    for (unsigned i = 0; r && chip && i <= m->other_count; i++) {
        chip[count] = i ? &m->others[i - 1] : m;
        count += chip[count]->chip && report_has_something(chip[count]) && collect(chip[count], &r[count]);
    }
    for (size_t i = 0; i < count; i++)
        print_all(chip[i], &r[i]);
    if (!m->ranks && count)
        unused_by_all(m, r, count);
    for (size_t i = 0; i < count; i++) {
        char name[20];
        snprintf(name, sizeof name, "chip %u: ", chip[i]->number);
        hazard_totals(stdout, chip[i]->chip, name, r[i].shown, r[i].suppressed);
        end(&r[i]);
    }
    free(r);
    free(chip);
}

void hazards_causes(FILE *out, const struct machine *m) {
    struct result r;
    if (!m->check || !collect(m, &r))
        return;
    for (size_t i = 0; i < r.list.count; i++) {
        struct hazard_names names = names_of(m, &r.list.item[i]);
        if (!r.by[i] && r.list.item[i].verdict == BH_VERDICT_RACE)
            fprintf(out, "race %s\n", names.suppression);
    }
    end(&r);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static void json_side(struct json *j, const struct machine *m, const char *key, const struct bh_hazard_side *side) {
    char instruction[BH_INSTRUCTION_TEXT];
    uint32_t pc;
    unsigned line;
    const char *file;
    const struct program *program = program_of(m, side, &pc);
    json_open_line(j, key, '{');
    if (!hazard_is_nobody(side))
        report_json_xy(j, side->tile);
    json_string(j, "agent", side->agent);
    json_string(j, "access", side->writes ? "write" : "read");
    if (!hazard_is_nobody(side))
        json_number(j, "cycle", side->cycle);
    if (side->core >= 0) {
        hazard_instruction(side, instruction, sizeof instruction);
        json_string(j, "core", bh_core_name_at(m->chip, side->tile, (enum bh_core)side->core));
        json_number(j, "pc", side->pc);
        json_number(j, "word", side->word);
        json_bool(j, "tensix", side->tensix);
        json_string(j, "instruction", instruction);
        program_json(j, program, pc, true);
        if ((file = call_of(program, pc, &line))) {
            json_string(j, "called_in", file);
            json_number(j, "called_at_line", line);
        }
    }
    json_close_line(j, '}');
}

static void json_hazard(struct json *j, const struct machine *m, const struct bh_hazard *h) {
    struct hazard_names names = names_of(m, h);
    json_open(j, NULL, '{');
    json_string(j, "verdict", bh_verdict_name(h->verdict));
    json_string(j, "kind", bh_hazard_kind_name(h->kind));
    json_string(j, "text", bh_hazard_kind_text(h->kind));
    json_string(j, "remedy", bh_hazard_remedy(h->kind));
    report_json_xy(j, h->tile);
    json_string(j, "place", h->place);
    if (*names.place)
        json_string(j, "place_name", names.place + 1);
    if (*h->buffer)
        json_string(j, "buffer", h->buffer);
    if (h->memory != BH_HAZARD_IN_NOTHING) {
        json_string(j, "memory", bh_hazard_memory_name(h->memory));
        json_number(j, "address", h->address);
    }
    json_number(j, "count", h->count);
    json_side(j, m, "first", &h->first);
    json_side(j, m, "second", &h->second);
    json_string(j, "suppression", names.suppression);
    json_close(j, '}');
}

static void json_unused(struct json *j, const struct machine *m, const struct result *r) {
    size_t index = 0;
    json_open(j, "unused_suppressions", '[');
    for (const struct suppression *s; (s = next_unused(m, r, &index));) {
        json_open_line(j, NULL, '{');
        json_number(j, "line", s->line);
        json_string_n(j, "kind", s->kind_name.p, s->kind_name.n);
        json_string_n(j, "first", s->first.p, s->first.n);
        json_string_n(j, "second", s->second.p, s->second.n);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

void hazards_json(struct json *j, const struct machine *m) {
    struct result r;
    if (!m->check || !collect(m, &r))
        return;
    json_open(j, "hazards", '[');
    for (size_t i = 0; i < r.list.count; i++)
        if (!r.by[i])
            json_hazard(j, m, &r.list.item[i]);
    json_close(j, ']');
    json_bool(j, "incomplete", bh_check_incomplete(m->chip));
    json_number(j, "suppressed", r.suppressed);
    json_unused(j, m, &r);
    end(&r);
}
