/* bhemu isa: prints the Tensix instruction set and the configuration registers from the tables of the library. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bhemu.h"
#include "cmd/commands.h"
#include "text/json.h"
#include "text/text.h"

enum option_id { OPT_CONFIG, OPT_JSON, OPT_MARKDOWN };

static const struct option options[] = {
    { OPT_CONFIG, "config", NULL, "configuration fields instead of instructions" },
    { OPT_JSON, "json", NULL, "one JSON object" },
    { OPT_MARKDOWN, "markdown", NULL, "the page docs/isa.md" },
    { 0, NULL, NULL, NULL },
};

static const char notes[] =
    "Without names, one line an instruction. A name may be a part: SFP lists all that begin with it. Or say the\n"
    "opcode: 0x84.\n"
    "\n"
    "Examples:\n"
    "  bhemu isa\n"
    "  bhemu isa SFPMAD MVMUL\n"
    "  bhemu isa --config ALU_FORMAT\n"
    "  bhemu isa --json | jq '.instructions[] | select(.implemented | not) | .name'\n";

static bool begins(const char *name, const char *part) {
    return strncasecmp(name, part, strlen(part)) == 0;
}

/* Returns whether the user has asked for this name. An exact match takes precedence over names that merely begin with
 * it. */
static bool wanted(const char *name, const char *const *names, int count, const bool *exact) {
    for (int i = 0; i < count; i++)
        if (exact[i] ? strcasecmp(name, names[i]) == 0 : begins(name, names[i]))
            return true;
    return count == 0;
}

/* ---- Instructions -------------------------------------------------------------------------- */

static void short_text(const struct bh_isa_row *row) {
    printf("0x%02x  %-16s %-22s %-8s %-5s %s\n", row->opcode, row->name, row->unit, row->gate,
           row->implemented ? "yes" : "no", row->meaning);
}

static void bits_text(const struct bh_isa_field *field, char text[16]) {
    if (field->width == 1)
        snprintf(text, 16, "%u", field->low);
    else
        snprintf(text, 16, "%u:%u", field->low + field->width - 1u, field->low);
}

/* tt-llk's names of the block bits B0 to B8, by which STALLWAIT, SEMWAIT and STREAMWAIT hold instructions. */
enum { BLOCK_BITS = 9 };
static const char *const block_name[BLOCK_BITS] = { "STALL_TDMA",   "STALL_SYNC", "STALL_PACK",
                                                    "STALL_UNPACK", "STALL_XMOV", "STALL_THCON",
                                                    "STALL_MATH",   "STALL_CFG",  "STALL_SFPU" };

/* Prints the block bits of an instruction, "B0|B3", and their names. */
static void gate_text(const char *gate) {
    const char *before = ": a wait with ";
    printf("  gate         %s", gate);
    for (; *gate; gate++)
        if (gate[0] == 'B' && gate[1] >= '0' && gate[1] < '0' + BLOCK_BITS) {
            printf("%s%s", before, block_name[gate[1] - '0']);
            before = " or ";
        }
    puts(*before == ' ' ? " holds it" : "");
}

static void long_text(const struct bh_isa_row *row) {
    printf("%s (opcode 0x%02x): %s\n", row->name, row->opcode, row->meaning);
    printf("  unit         %s\n", row->unit);
    gate_text(row->gate);
    printf("  occupancy    %u cycle%s, latency %u\n", row->occupancy, row->occupancy == 1 ? "" : "s", row->latency);
    printf("  implemented  %s\n", row->implemented ? "yes" : "no");
    printf("  page         %s\n", *row->page ? row->page : "none");
    for (unsigned i = 0; i < row->field_count; i++) {
        const struct bh_isa_field *field = &row->fields[i];
        char bits[16];
        bits_text(field, bits);
        printf("  %-12s %-5s  %s", i ? "" : "fields", bits, field->name);
        if (field->used == 0)
            printf(" (ignored)");
        else if (field->used < field->width)
            printf(" (low %u bit%s used)", field->used, field->used == 1 ? "" : "s");
        putchar('\n');
    }
}

static void json_row(struct json *j, const struct bh_isa_row *row) {
    json_open_line(j, NULL, '{');
    json_number(j, "opcode", row->opcode);
    json_string(j, "name", row->name);
    json_string(j, "unit", row->unit);
    json_string(j, "gate", row->gate);
    json_bool(j, "implemented", row->implemented);
    json_number(j, "occupancy", row->occupancy);
    json_number(j, "latency", row->latency);
    json_string(j, "page", row->page);
    json_string(j, "meaning", row->meaning);
    json_open(j, "fields", '[');
    for (unsigned i = 0; i < row->field_count; i++) {
        json_open(j, NULL, '{');
        json_string(j, "name", row->fields[i].name);
        json_number(j, "low", row->fields[i].low);
        json_number(j, "width", row->fields[i].width);
        json_number(j, "used", row->fields[i].used);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close_line(j, '}');
}

/* ---- Markdown page ------------------------------------------------------------------------- */

/* Prints the text of a table cell. Escapes bars, which would end the cell. */
static void cell(const char *text) {
    for (; *text; text++)
        fputs(*text == '|' ? "\\|" : (char[]){ *text, 0 }, stdout);
}

static void markdown_row(const struct bh_isa_row *row) {
    printf("| 0x%02x | `%s` | %s | ", row->opcode, row->name, row->unit);
    cell(row->gate);
    printf(" | %u / %u | ", row->occupancy, row->latency);
    for (unsigned i = 0; i < row->field_count; i++) {
        char bits[16];
        bits_text(&row->fields[i], bits);
        printf("%s`%s`[%s]", i ? " " : "", row->fields[i].name, bits);
        if (row->fields[i].used == 0)
            printf(" (ignored)");
    }
    printf(" | %s | ", row->implemented ? "yes" : "no");
    cell(row->meaning);
    printf(" | %s |\n", row->page);
}

static void markdown(void) {
    struct bh_isa_row row;
    unsigned total = 0, implemented = 0;
    for (; bh_isa_at(total, &row) == BH_OK; total++)
        implemented += row.implemented;
    printf("# The Tensix instruction set\n"
           "\n"
           "Written by `bhemu isa --markdown` from the instruction table; do not edit. A test keeps it in step.\n"
           "\n"
           "A word has the opcode in bits 31:24 and its fields below. *Gate* names the block bits by which STALLWAIT,\n"
           "SEMWAIT and STREAMWAIT hold an instruction at the Wait Gate (`stall_res`). tt-llk names them\n");
    for (unsigned i = 0; i < BLOCK_BITS; i++)
        printf("%s (B%u)%s", block_name[i], i, i + 1 < BLOCK_BITS ? ", " : ".\n");
    printf(
        "*Cycles* are occupancy / latency, the least where they vary. *Page* is the page of tt-isa-documentation (BH:\n"
        "BlackholeA0, WH: WormholeB0) that describes the instruction.\n"
        "\n"
        "%u of %u instructions are executed by this version; the others are decoded and shown, and fault when they\n"
        "are reached.\n"
        "\n"
        "| Opcode | Name | Unit | Gate | Cycles | Fields | Executed | Meaning | Page |\n"
        "|---|---|---|---|---|---|---|---|---|\n",
        implemented, total);
    for (unsigned i = 0; bh_isa_at(i, &row) == BH_OK; i++)
        markdown_row(&row);
}

/* ---- Lists ---------------------------------------------------------------------------------- */

struct request {
    bool config, json, markdown;
    const char **names;
    bool *exact;
    bool *found;
    int count;
};

static const char *name_at(bool config, unsigned index) {
    struct bh_isa_row row;
    struct bh_isa_config field;
    if (config)
        return bh_isa_config_at(index, &field) == BH_OK ? field.name : NULL;
    return bh_isa_at(index, &row) == BH_OK ? row.name : NULL;
}

#define NAMES_MAX 1024

static int unknown_name(const struct command *command, bool config, const char *name) {
    const char *names[NAMES_MAX + 1] = { 0 }, *what = config ? "configuration field" : "instruction";
    char upper[64];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof upper; n++)
        upper[n] = (char)(config ? name[n] : toupper((unsigned char)name[n]));
    upper[n] = 0;
    for (unsigned i = 0; i < NAMES_MAX && (names[i] = name_at(config, i)); i++)
        ;
    const char *near = closest(span_of(upper), names);
    if (near)
        return usage_error(command, "no %s is called '%s'; did you mean '%s'?", what, name, near);
    return usage_error(command, "no %s is called '%s'", what, name);
}

/* Returns the name of the instruction with this opcode, or the text itself if it is no opcode. */
static const char *name_of_opcode(const char *text) {
    uint64_t opcode;
    struct bh_isa_row row;
    for (unsigned i = 0; span_number(span_of(text), UINT8_MAX, &opcode) && bh_isa_at(i, &row) == BH_OK; i++)
        if (row.opcode == opcode)
            return row.name;
    return text;
}

static int match_names(const struct command *command, struct request *r) {
    const char *name;
    for (int i = 0; i < r->count; i++) {
        r->names[i] = r->config ? r->names[i] : name_of_opcode(r->names[i]);
        for (unsigned n = 0; (name = name_at(r->config, n)); n++) {
            r->exact[i] |= strcasecmp(name, r->names[i]) == 0;
            r->found[i] |= begins(name, r->names[i]);
        }
        if (!r->found[i] || !*r->names[i])
            return unknown_name(command, r->config, r->names[i]);
    }
    return EXIT_DONE;
}

static void list_instructions(const struct request *r) {
    struct bh_isa_row row;
    struct json j;
    bool more = false;
    json_init(&j, stdout);
    if (r->json) {
        json_open(&j, NULL, '{');
        json_open(&j, "instructions", '[');
    } else if (r->count == 0) {
        printf("%-5s %-16s %-22s %-8s %-5s %s\n", "code", "name", "unit", "gate", "done", "meaning");
    }
    for (unsigned i = 0; bh_isa_at(i, &row) == BH_OK; i++) {
        if (!wanted(row.name, r->names, r->count, r->exact))
            continue;
        if (r->json) {
            json_row(&j, &row);
        } else if (r->count) {
            if (more)
                putchar('\n');
            long_text(&row);
        } else {
            short_text(&row);
        }
        more = true;
    }
    if (r->json) {
        json_close(&j, ']');
        json_close(&j, '}');
        json_end(&j);
    }
}

static void json_field(struct json *j, const struct bh_isa_config *field) {
    json_open_line(j, NULL, '{');
    json_string(j, "name", field->name);
    json_string(j, "section", field->section);
    json_bool(j, "thread", field->thread);
    json_number(j, "word", field->word);
    json_number(j, "shift", field->shift);
    json_number(j, "width", field->width);
    json_close_line(j, '}');
}

static void list_config(const struct request *r) {
    struct bh_isa_config field;
    struct json j;
    json_init(&j, stdout);
    if (r->json) {
        json_open(&j, NULL, '{');
        json_open(&j, "config", '[');
    } else {
        printf("%-8s %-5s %-6s %-8s %s\n", "in", "word", "bits", "section", "name");
    }
    for (unsigned i = 0; bh_isa_config_at(i, &field) == BH_OK; i++) {
        char bits[16];
        if (!wanted(field.name, r->names, r->count, r->exact))
            continue;
        if (r->json) {
            json_field(&j, &field);
            continue;
        }
        snprintf(bits, sizeof bits, "%u:%u", field.shift + field.width - 1u, field.shift);
        printf("%-8s %-5u %-6s %-8s %s\n", field.thread ? "thread" : "config", field.word, bits, field.section,
               field.name);
    }
    if (r->json) {
        json_close(&j, ']');
        json_close(&j, '}');
        json_end(&j);
    }
}

static int parse(struct arguments *a, struct request *r) {
    for (int id; (id = options_next(a)) != OPTION_END;) {
        switch (id) {
        case OPTION_BAD: return EXIT_USAGE;
        case OPTION_HELP: return -1;
        case OPTION_WORD: r->names[r->count++] = a->argv[a->next - 1]; break;
        case OPT_CONFIG: r->config = true; break;
        case OPT_JSON: r->json = true; break;
        case OPT_MARKDOWN: r->markdown = true; break;
        }
    }
    if (r->markdown && (r->json || r->config || r->count))
        return usage_error(a->command, "--markdown stands alone");
    return match_names(a->command, r);
}

static int run(const struct command *command, int argc, char **argv) {
    size_t n = (size_t)argc + 1;
    struct arguments arguments = { .command = command, .argc = argc, .argv = argv };
    struct request r = { .names = calloc(n, sizeof *r.names),
                         .exact = calloc(n, sizeof *r.exact),
                         .found = calloc(n, sizeof *r.found) };
    int status = EXIT_USAGE;
    if (r.names && r.exact && r.found)
        status = parse(&arguments, &r);
    if (status == EXIT_DONE) {
        if (r.markdown)
            markdown();
        else if (r.config)
            list_config(&r);
        else
            list_instructions(&r);
    }
    free(r.names);
    free(r.exact);
    free(r.found);
    return status < 0 ? EXIT_DONE : status;
}

const struct command command_isa = {
    .name = "isa",
    .synopsis = "[NAME]... [--config] [--json | --markdown]",
    .summary = "list the Tensix instructions: opcode, unit, gate, fields",
    .options = options,
    .notes = notes,
    .run = run,
};
