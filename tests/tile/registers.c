/* docs/registers.md against the tables it shows: `registers --print` gives the text that belongs there. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/memmap.h"
#include "isa/regs.h"

#define TEXT_MAX 65536

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(char *text, const char *format, ...) {
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, TEXT_MAX - length, format, arguments);
    va_end(arguments);
}

/* The regions that viewers from first to last see. */
static void add_view(char *text, unsigned first, unsigned last) {
    static const char *const viewers[] = { "B", "T0", "T1", "T2", "NC", "NoC", "E0 E1", "NoC" };
    const unsigned mask = (2u << last) - (1u << first);
    add(text, "| From | To | What | Seen by | Load latency |\n|---|---|---|---|--:|\n");
    for (unsigned i = 0; i < MEMMAP_COUNT; i++) {
        const struct memmap_region *region = &memmap[i];
        if (!(region->seen_by & mask))
            continue;
        add(text, "| `0x%08X` | `0x%08X` | %s |", region->base, region->base + region->size - 1, region->name);
        for (unsigned viewer = first; viewer <= last; viewer++)
            if (region->seen_by >> viewer & 1)
                add(text, " %s", viewers[viewer]);
        add(text, " | %u |\n", region->latency);
    }
}

static void add_map(char *text) {
    add_view(text, 0, MEMMAP_NOC);
}

static void add_eth_map(char *text) {
    add_view(text, MEMMAP_ETH_CORE, MEMMAP_ETH_NOC);
}

static const char *class_name(enum reg_class class) {
    static const char *const names[] = { "modelled", "storage", "sink", "zero", "off", "clear", "fault" };
    return names[class];
}

static void add_registers(char *text) {
    add(text, "| Address | Name | Class | At power-on | Meaning |\n|---|---|---|---|---|\n");
#define REG(block, offset, name, class, reset, meaning) \
    add(text, "| `0x%08X` | `%s` | %s | `0x%X` | %s |\n", (unsigned)REG_BLOCK_##block + (offset), #name, \
        class_name(REG_##class), (unsigned)(reset), meaning);
#include "isa/regs.def"
}

static void add_aliases(char *text) {
    add(text, "| Address | Other name | Of |\n|---|---|---|\n");
#define REG_ALIAS(block, offset, name, of) \
    add(text, "| `0x%08X` | `%s` | `%s` |\n", (unsigned)REG_BLOCK_##block + (offset), #name, #of);
#include "isa/regs.def"
}

static void add_perf(char *text) {
    static const char *const mux[] = { "", ", mux 1", ", mux 2", ", mux 3", ", mux 4", ", mux 5" };
    add(text, "| Bank | Counter | Name | Cycles in which |\n|---|--:|---|---|\n");
#define PERF(bank, select, name, meaning) \
    add(text, "| %s%s | %u | `%s` | %s |\n", #bank, mux[(select) / 512], (select) % 512u, #name, meaning);
#include "isa/perf.def"
}

static char *read_file(const char *path) {
    static char text[TEXT_MAX * 4];
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

int main(int argc, char **argv) {
    static const struct {
        const char *marker;
        void (*add)(char *text);
    } parts[] = {
        { "memmap", add_map },      { "ethmap", add_eth_map }, { "regs", add_registers },
        { "aliases", add_aliases }, { "perf", add_perf },
    };
    static char expected[TEXT_MAX];
    int wrong = 0;
    const char *doc = argc == 2 && strcmp(argv[1], "--print") ? read_file(argv[1]) : NULL;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        expected[0] = 0;
        add(expected, "<!-- table: %s -->\n", parts[i].marker);
        parts[i].add(expected);
        add(expected, "<!-- end -->\n");
        if (!doc)
            fputs(expected, stdout);
        else if (!strstr(doc, expected)) {
            fprintf(stderr, "%s: table '%s' is not the one of the source; see registers --print\n", argv[1],
                    parts[i].marker);
            wrong = 1;
        }
    }
    if (!doc && argc == 2 && strcmp(argv[1], "--print")) {
        fprintf(stderr, "%s: cannot be read\n", argv[1]);
        return 1;
    }
    return wrong;
}
