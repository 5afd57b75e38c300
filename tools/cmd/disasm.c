/* bhemu disasm: disassembles RISC-V and Tensix instructions of a program file, or given words, with labels and source
 * lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu.h"
#include "cmd/commands.h"
#include "text/file.h"
#include "text/json.h"
#include "machine/program.h"

enum option_id { OPT_WORDS, OPT_TENSIX, OPT_BASE, OPT_JSON, OPT_NO_SOURCE };

static const struct option options[] = {
    { OPT_WORDS, "words", NULL, "the arguments are 32-bit words as they stand in memory, not files" },
    { OPT_TENSIX, "tensix", NULL,
      "the arguments are Tensix instructions with the opcode in bits 31:24, as TT_OP has them" },
    { OPT_BASE, "base", "ADDR", "address of the first word; default 0" },
    { OPT_JSON, "json", NULL, "one JSON object" },
    { OPT_NO_SOURCE, "no-source", NULL, "do not show source lines" },
    { 0, NULL, NULL, NULL },
};

static const char notes[] = "Examples:\n"
                            "  bhemu disasm kernel.elf\n"
                            "  bhemu disasm code.bin@0x6000\n"
                            "  bhemu disasm --words --base 0x100 0x00a50533 0xfe000ee3\n"
                            "  bhemu disasm --tensix 0x84012340\n";

struct listing {
    const struct program *program; /* NULL: the words are from the command line */
    bool source, tensix;           /* tensix: words have the opcode in bits 31:24 */
    struct json *json;             /* NULL: print text */
    const char *last_file;
    unsigned last_line;
};

/* Finds the target of a branch or jump, whose offset is imm[12|10:5|4:1|11] of format B or imm[20|10:1|11|19:12] of
 * format J. */
static bool jump_target(uint32_t pc, uint32_t word, uint32_t *target) {
    uint32_t sign = (uint32_t) - (int32_t)(word >> 31);
    if ((word & 0x7F) == 0x63)
        *target = pc + ((sign << 12) | (word << 4 & 0x800) | (word >> 20 & 0x7E0) | (word >> 7 & 0x1E));
    else if ((word & 0x7F) == 0x6F)
        *target = pc + ((sign << 20) | (word & 0xFF000) | (word >> 9 & 0x800) | (word >> 20 & 0x7FE));
    else
        return false;
    return true;
}

static void text_line(struct listing *l, uint32_t pc, uint32_t word, const char *text) {
    uint32_t target, offset;
    const char *symbol = l->program ? program_symbol(l->program, pc, &offset) : NULL;
    if (symbol && offset == 0)
        printf("\n%08x <%s>:\n", pc, symbol);
    unsigned line = 0;
    const char *file = l->program && l->source ? program_line(l->program, pc, &line) : NULL;
    if (file && (file != l->last_file || line != l->last_line))
        printf("; %s:%u\n", file, line);
    l->last_file = file;
    l->last_line = line;
    printf("%8x:  %08x  %s", pc, word, text);
    if (l->program && jump_target(pc, word, &target) && (symbol = program_symbol(l->program, target, &offset)))
        printf(offset ? " <%s+0x%x>" : " <%s>", symbol, offset);
    putchar('\n');
}

static void json_line(struct listing *l, uint32_t pc, uint32_t word, const char *text) {
    struct json *j = l->json;
    json_open_line(j, NULL, '{');
    json_number(j, "address", pc);
    json_number(j, "word", word);
    json_string(j, "kind", (word & 3) == 3 && !l->tensix ? "riscv" : "tensix");
    json_string(j, "text", text);
    program_json(j, l->program, pc, l->source);
    json_close_line(j, '}');
}

static void instruction(struct listing *l, uint32_t pc, uint32_t word) {
    char text[BH_INSTRUCTION_TEXT];
    if (!l->tensix)
        bh_disassemble(pc, word, text, sizeof text);
    else if (word >> 30 == 3) /* after the rotation, it would be a RISC-V instruction */
        snprintf(text, sizeof text, "no instruction has an opcode from 0xc0 on");
    else
        bh_disassemble(pc, word << 2 | word >> 30, text, sizeof text);
    if (l->json)
        json_line(l, pc, word, text);
    else
        text_line(l, pc, word, text);
}

static void list_code(struct listing *l, const struct code *code) {
    if (!l->json && *code->name)
        printf("\nsection %s\n", code->name);
    for (size_t i = 0; i + 4 <= code->size; i += 4)
        instruction(l, code->address + (uint32_t)i, word_at(code->data + i));
    if (!l->json && code->size % 4)
        printf("; %zu more byte%s no whole word\n", code->size % 4, code->size % 4 == 1 ? " is" : "s are");
}

static int list_file(const struct command *command, struct listing *l, const char *name) {
    char message[400];
    struct code code;
    struct program *program = program_open(span_of(name), message, sizeof message);
    if (!program)
        return tool_error(command, "%s", message);
    l->program = program;
    if (!program_code(program, 0, &code)) {
        program_close(program);
        return tool_error(command, "'%s' has no code", name);
    }
    for (size_t i = 0; program_code(program, i, &code); i++)
        list_code(l, &code);
    program_close(program);
    l->program = NULL;
    l->last_file = NULL;
    return EXIT_DONE;
}

struct request {
    bool words, tensix, json, has_base;
    uint64_t base;
    bool source;
    char **names;
    int count;
};

static const char *words_option(const struct request *r) {
    return r->tensix ? "--tensix" : "--words";
}

/* Parses the options. The other words go to r->names, in order. */
static int parse(const struct command *command, struct arguments *a, struct request *r) {
    for (int id; (id = options_next(a)) != OPTION_END;) {
        switch (id) {
        case OPTION_BAD: return EXIT_USAGE;
        case OPTION_HELP: return -1;
        case OPTION_WORD: r->names[r->count++] = a->argv[a->next - 1]; break;
        case OPT_WORDS: r->words = true; break;
        case OPT_TENSIX: r->words = r->tensix = true; break;
        case OPT_JSON: r->json = true; break;
        case OPT_NO_SOURCE: r->source = false; break;
        case OPT_BASE:
            r->has_base = true;
            if (!span_number(span_of(a->value), UINT32_MAX, &r->base))
                return usage_error(command, "--base: '%s' is not a 32-bit address", a->value);
            break;
        }
    }
    if (r->count == 0)
        return r->words ? usage_error(command, "%s: no words are given", words_option(r))
                        : usage_error(command, "no file is given");
    if (r->has_base && !r->words)
        return usage_error(command, "--base goes with --words; for raw files say FILE@ADDR");
    return EXIT_DONE;
}

static int list_words(const struct command *command, struct listing *l, const struct request *r) {
    uint64_t word;
    for (int i = 0; i < r->count; i++)
        if (!span_number(span_of(r->names[i]), UINT32_MAX, &word))
            return usage_error(command, "%s: '%s' is not a 32-bit number", words_option(r), r->names[i]);
    for (int i = 0; i < r->count; i++) {
        span_number(span_of(r->names[i]), UINT32_MAX, &word);
        instruction(l, (uint32_t)r->base + 4 * (uint32_t)i, (uint32_t)word);
    }
    return EXIT_DONE;
}

static int list_all(const struct command *command, const struct request *r) {
    struct json json;
    struct listing listing = { .source = r->source, .tensix = r->tensix, .json = r->json ? &json : NULL };
    int status = EXIT_DONE;
    json_init(&json, stdout);
    if (r->json) {
        json_open(&json, NULL, '{');
        json_open(&json, "instructions", '[');
    }
    if (r->words)
        status = list_words(command, &listing, r);
    for (int i = 0; i < r->count && !r->words && status == EXIT_DONE; i++)
        status = list_file(command, &listing, r->names[i]);
    if (r->json) {
        json_close(&json, ']');
        json_close(&json, '}');
        json_end(&json);
    }
    return status;
}

static int run(const struct command *command, int argc, char **argv) {
    struct arguments arguments = { .command = command, .argc = argc, .argv = argv };
    struct request request = { .source = true, .names = calloc((size_t)argc + 1, sizeof *request.names) };
    if (!request.names)
        return usage_error(command, "out of memory");
    int status = parse(command, &arguments, &request);
    if (status == EXIT_DONE)
        status = list_all(command, &request);
    free(request.names);
    return status < 0 ? EXIT_DONE : status;
}

const struct command command_disasm = {
    .name = "disasm",
    .synopsis = "FILE.elf... | FILE@ADDR... | --words|--tensix WORD...",
    .summary = "show the instructions of a program file or of words",
    .options = options,
    .notes = notes,
    .run = run,
};
