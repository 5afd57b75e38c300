/* Hazards as text: see hazard_text.h. */
#include "report/hazard_text.h"

#include <stdlib.h>
#include <string.h>

#include "text/text.h"

static int compare_numbers(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right) {
    const struct bh_hazard *a = left, *b = right;
    int order = compare_numbers(a->verdict, b->verdict);
    order = order ? order : compare_numbers(a->first.cycle, b->first.cycle);
    order = order ? order : compare_numbers(a->second.cycle, b->second.cycle);
    order = order ? order : compare_numbers(a->first.pc, b->first.pc);
    order = order ? order : compare_numbers(a->second.pc, b->second.pc);
    return order ? order : compare_numbers(a->kind, b->kind);
}

bool hazard_list_make(const bh_chip *chip, struct hazard_list *list) {
    size_t count = bh_hazard_count(chip);
    *list = (struct hazard_list){ .item = malloc((count ? count : 1) * sizeof *list->item) };
    if (!list->item)
        return false;
    while (list->count < count && bh_hazard_at(chip, list->count, &list->item[list->count]) == BH_OK)
        list->count++;
    qsort(list->item, list->count, sizeof *list->item, compare);
    return true;
}

bool hazard_is_nobody(const struct bh_hazard_side *side) {
    return side->core < 0 && strcmp(side->agent, "nobody") == 0;
}

void hazard_instruction(const struct bh_hazard_side *side, char *text, size_t size) {
    uint32_t word = side->tensix ? side->word << 2 | side->word >> 30 : side->word;
    bh_disassemble(side->pc, word, text, size);
}

/* Returns how the core of a side has caused the access, or NULL if the core has made the access itself. */
static const char *cause(const struct bh_hazard_side *side) {
    if (side->core < 0 || strncmp(side->agent, "NoC", 3) == 0)
        return "requested";
    return side->tensix ? "pushed" : NULL;
}

static void print_side(FILE *out, const bh_chip *chip, const char *name, const struct bh_hazard_side *side,
                       const char *of, const char *where) {
    char instruction[BH_INSTRUCTION_TEXT], cycle[GROUPED_SIZE];
    const char *caused = cause(side), *core;
    core = side->core < 0 ? NULL : bh_core_name_at(chip, side->tile, (enum bh_core)side->core);
    if (hazard_is_nobody(side)) {
        fprintf(out, "  %-8snobody writes\n", name);
        return;
    }
    fprintf(out, "  %-8s%s on %stile %u,%u %s in cycle %s", name, side->agent, of, side->tile.x, side->tile.y,
            side->writes ? "writes" : "reads", grouped(side->cycle, cycle));
    if (!core) {
        fputc('\n', out);
        return;
    }
    hazard_instruction(side, instruction, sizeof instruction);
    fprintf(out, "%s%s%s%s:\n", caused ? ", " : "", caused ? caused : "", caused ? " by " : "", caused ? core : "");
    fprintf(out, "          %08x  %s%s%s\n", side->pc, instruction, *where ? "  #" : "", where);
}

void hazard_text(FILE *out, const bh_chip *chip, const struct bh_hazard *h, const struct hazard_names *names) {
    char count[GROUPED_SIZE];
    bool in_buffer = !*names->place && *h->buffer;
    fprintf(out, "%s at %s of %stile %u,%u%s%s%s%s: %s\n", bh_verdict_name(h->verdict), h->place, names->chip,
            h->tile.x, h->tile.y, names->place, in_buffer ? " (" : "", in_buffer ? h->buffer : "", in_buffer ? ")" : "",
            bh_hazard_kind_text(h->kind));
    print_side(out, chip, "first", &h->first, names->chip, names->first);
    print_side(out, chip, "second", &h->second, names->chip, names->second);
    fprintf(out, "  seen %s time%s; %s %s\n", grouped(h->count, count), h->count == 1 ? "" : "s",
            *names->suppression ? "line for --suppress:" : "kind",
            *names->suppression ? names->suppression : bh_hazard_kind_name(h->kind));
    fprintf(out, "  would %s: %s\n", h->verdict == BH_VERDICT_SUSPECT ? "help" : "order them",
            bh_hazard_remedy(h->kind));
}

void hazard_totals(FILE *out, const bh_chip *chip, const char *name, const size_t count[BH_VERDICT_COUNT],
                   size_t suppressed) {
    static const char *const meaning[] = {
#define BH_VERDICT(name, text) text,
#include "bhemu_hazard.def"
    };
    size_t all = 0;
    for (unsigned i = 0; i < BH_VERDICT_COUNT; i++)
        all += count[i];
    if (bh_check_incomplete(chip))
        fprintf(out, "%sthe list is incomplete: there was no room for all accesses or hazards\n", name);
    if (all)
        fprintf(out, "%s%zu hazard%s", name, all, all == 1 ? "" : "s");
    else
        fprintf(out, "%sno hazards", name);
    for (unsigned i = 0, shown = 0; i < BH_VERDICT_COUNT; i++)
        if (count[i])
            fprintf(out, "%s%zu %s (%s)", shown++ ? ", " : ": ", count[i], bh_verdict_name((enum bh_verdict)i),
                    meaning[i]);
    if (suppressed)
        fprintf(out, "%s%zu suppressed", all ? "; " : ", ", suppressed);
    fputc('\n', out);
}
