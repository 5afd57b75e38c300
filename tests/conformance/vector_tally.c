/* Counts instructions by opcode and mode. A lane-operation is counted where all 32 lanes are known to be on;
 * instructions under flags that come from data are listed apart, since their lanes are unknown. */
#include "vector_tally.h"

#include <stdio.h>

#include "isa/tensix.h"

enum { FIRST = 0x70, LAST = 0x99, MODES = 16, LANES = 32, DEPTH = 8 };

static const char *const names[256] = {
#define TENSIX_OP(opcode, name, ...) [opcode] = #name,
#include "isa/tensix.def"
};
static uint64_t counts[LAST - FIRST + 1][MODES][2]; /* [under flags] */
static unsigned programs;

/* Knowledge about the flags. */
struct known {
    bool used, all;
};
struct flags {
    struct known now, above[DEPTH];
    unsigned depth;
};

static unsigned mode_of(uint32_t word) {
    bool load = word >> 24 <= TENSIX_SFPLUT;
    return word >> (load ? 16 : 0) & 15;
}

static bool sets_flags(uint32_t word) {
    unsigned mode = word & 15;
    switch (word >> 24) {
    case TENSIX_SFPSETCC: return true;
    case TENSIX_SFPIADD: return !(mode & 4);
    case TENSIX_SFPEXEXP:
    case TENSIX_SFPLZ: return mode & 2;
    case TENSIX_SFPLE:
    case TENSIX_SFPGT: return mode & 1;
    default: return false;
    }
}

static void follow(struct flags *flags, uint32_t word) {
    unsigned opcode = word >> 24;
    if (opcode == TENSIX_SFPENCC && (word & 15) == 0)
        flags->now.all = true;
    else if (opcode == TENSIX_SFPENCC)
        flags->now = (struct known){ .used = word >> 12 & 1, .all = word >> 13 & 1 };
    else if (opcode == TENSIX_SFPPUSHC)
        flags->above[flags->depth++] = flags->now;
    else if (opcode == TENSIX_SFPPOPC)
        flags->now = flags->above[--flags->depth];
    else if (opcode == TENSIX_SFPCOMPC || sets_flags(word))
        flags->now.all = false;
}

/* VD above 11: it does nothing but become a template. */
static bool is_template(uint32_t word) {
    return word >> 24 > TENSIX_SFPLUT && word >> 24 != TENSIX_SFPCONFIG && (word >> 4 & 15) >= 12;
}

static bool is_counted(uint32_t word) {
    return word >> 24 >= FIRST && word >> 24 <= LAST && !is_template(word);
}

void vector_tally(const struct generated *program) {
    for (unsigned part = 0; part < program->parts; part++) {
        struct flags flags = { 0 };
        for (unsigned i = 0; i < program->part[part].count; i++) {
            uint32_t word = tensix_from_stream(program->part[part].word[i]);
            if (!tensix_in_stream(program->part[part].word[i]) || !is_counted(word))
                continue;
            unsigned some = flags.now.used && !flags.now.all;
            counts[(word >> 24) - FIRST][mode_of(word)][some] += program->part[part].item[i] ? program->repeats : 1;
            follow(&flags, word);
        }
    }
    programs++;
}

static bool computes(unsigned opcode) {
    switch (opcode) {
    case TENSIX_SFPLOAD:
    case TENSIX_SFPSTORE:
    case TENSIX_SFPLOADI:
    case TENSIX_SFPNOP:
    case TENSIX_SFPCONFIG:
    case TENSIX_SFPPUSHC:
    case TENSIX_SFPPOPC:
    case TENSIX_SFPENCC:
    case TENSIX_SFPCOMPC: return false;
    default: return true;
    }
}

void vector_report(void) {
    uint64_t total = 0, arithmetic = 0, flagged = 0;
    printf("%-14s %4s %16s %16s\n", "", "mode", "lane-operations", "under flags");
    for (unsigned opcode = FIRST; opcode <= LAST; opcode++)
        for (unsigned mode = 0; mode < MODES; mode++) {
            const uint64_t *count = counts[opcode - FIRST][mode];
            if (!count[0] && !count[1])
                continue;
            printf("%-14s %4u %16llu %16llu\n", names[opcode], mode, (unsigned long long)count[0] * LANES,
                   (unsigned long long)count[1]);
            total += count[0] * LANES;
            flagged += count[1];
            if (computes(opcode))
                arithmetic += count[0] * LANES;
        }
    printf("%u programs; %llu lane-operations in all lanes, %llu of them arithmetic; %llu instructions under flags\n",
           programs, (unsigned long long)total, (unsigned long long)arithmetic, (unsigned long long)flagged);
}
