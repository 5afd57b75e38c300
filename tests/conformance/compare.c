/* Generated programs in our libttsim.so, against an oracle with the same ABI or against what the oracle said before.
 *
 *     LIBRARY [--oracle LIBRARY] [--expected FILE] [--record FILE] [--first SEED] [--count N]
 *
 * With an oracle (also from the environment variable ORACLE) the results of every program are compared; a program
 * on which they differ is made small and printed. Without one the results of the seeds in FILE are compared with the
 * hashes there; --record writes such a file from the oracle's results.
 */
#include "compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu.h"
#include "runner.h"
#include "support/device.h"
#include "support/rv.h"

enum { SHOWN = 5 }; /* differing programs that are made small and printed */

struct options {
    const struct generated_kind *kind;
    const char *ours, *oracle, *expected, *record;
    uint64_t first;
    unsigned count;
};

/* Batches are big: made once. */
struct batch {
    struct generated *programs;
    struct result *ours, *oracle;
    unsigned count;
};

static void make_batch(struct batch *batch) {
    batch->programs = calloc(RUNNER_BATCH, sizeof *batch->programs);
    if (!batch->programs) {
        perror("compare");
        exit(3);
    }
    batch->ours = device_shared(RUNNER_BATCH * sizeof *batch->ours);
    batch->oracle = device_shared(RUNNER_BATCH * sizeof *batch->oracle);
}

static void free_batch(struct batch *batch) {
    free(batch->programs);
    device_unshare(batch->ours, RUNNER_BATCH * sizeof *batch->ours);
    device_unshare(batch->oracle, RUNNER_BATCH * sizeof *batch->oracle);
}

static void fill_batch(const struct options *options, struct batch *batch, uint64_t first, unsigned count) {
    unsigned most = runner_batch(options->kind);
    batch->count = count < most ? count : most;
    for (unsigned i = 0; i < batch->count; i++)
        options->kind->generate(&batch->programs[i], first + i);
}

/* ---- Making a program small ------------------------------------------------------------------------ */

struct pair {
    const struct options *options;
    struct result *ours, *oracle; /* shared */
};

/* Returns whether the libraries still disagree. Matters only where the oracle takes the program. */
static bool differs(const struct pair *pair, const struct generated *program) {
    runner_run(pair->options->kind, pair->options->oracle, program, 1, pair->oracle);
    if (pair->oracle->state != RESULT_DONE)
        return false;
    runner_run(pair->options->kind, pair->options->ours, program, 1, pair->ours);
    return pair->ours->state != RESULT_DONE || result_difference(pair->options->kind, pair->ours, pair->oracle) >= 0;
}

static uint32_t nop_of(const struct generated_kind *kind) {
    return kind->nop ? kind->nop : RV_NOP;
}

/* Turns the instructions of the items [from, to) into nops. False if they are already. A program that runs astray by
 * it is refused by the oracle or does not end, and so is not taken. */
static bool blank(struct generated *program, unsigned from, unsigned to, uint32_t nop) {
    bool changed = false;
    for (unsigned part = 0; part < program->parts; part++) {
        struct generated_part *p = &program->part[part];
        for (unsigned i = 0; i < p->count; i++)
            if (p->item[i] >= from && p->item[i] < to && p->word[i] != nop) {
                p->word[i] = nop;
                changed = true;
            }
    }
    return changed;
}

static void minimise(const struct pair *pair, struct generated *program) {
    struct generated *trial = malloc(sizeof *trial);
    if (!trial)
        return;
    for (unsigned size = 512; size; size /= 2)
        for (unsigned at = 1; at <= program->items; at += size) {
            *trial = *program;
            if (blank(trial, at, at + size, nop_of(pair->options->kind)) && differs(pair, trial))
                *program = *trial;
        }
    free(trial);
}

static void print_program(const struct generated *program, uint32_t nop) {
    char text[120];
    for (unsigned part = 0; part < program->parts; part++) {
        const struct generated_part *p = &program->part[part];
        printf("  %s\n", device_core_name[p->core]);
        for (unsigned i = 0; i < p->count; i++) {
            uint32_t pc = device_core_start[p->core] + i * 4;
            if (p->word[i] == nop || p->item[i] == 0)
                continue;
            bh_disassemble(pc, p->word[i], text, sizeof text);
            printf("    %06x  %08x  %s\n", pc, p->word[i], text);
        }
    }
}

/* Says what differs, and in which program. */
static void explain(const struct options *options, const struct generated *original) {
    struct generated *program = malloc(sizeof *program);
    struct pair pair = { options, device_shared(sizeof *pair.ours), device_shared(sizeof *pair.oracle) };
    char name[40];
    if (!program)
        return;
    *program = *original;
    if (!differs(&pair, program)) {
        printf("seed %" PRIu64 ": differs in company but not alone\n", program->seed);
    } else {
        if (!pair.ours->hangs) {
            minimise(&pair, program);
            differs(&pair, program);
        }
        printf("seed %" PRIu64 ": ", program->seed);
        if (pair.ours->state != RESULT_DONE) {
            printf("%s\n", pair.ours->text);
        } else {
            int index = result_difference(options->kind, pair.ours, pair.oracle);
            options->kind->name(program, (unsigned)index, name, sizeof name);
            printf("%s is %08x, should be %08x\n", name, pair.ours->area[index], pair.oracle->area[index]);
        }
        print_program(program, nop_of(options->kind));
        printf("  starting with");
        options->kind->print_start(program);
    }
    device_unshare(pair.ours, sizeof *pair.ours);
    device_unshare(pair.oracle, sizeof *pair.oracle);
    free(program);
}

/* Results that no program of the kind should have from any library. */
static bool is_implausible(const struct options *options, const struct generated *program, struct result *result) {
    return options->kind->is_plausible && result->state == RESULT_DONE &&
           !options->kind->is_plausible(program, result->area, result->text, sizeof result->text);
}

/* ---- Against the oracle -------------------------------------------------------------------------------- */

static int compare_with_oracle(const struct options *options) {
    struct batch batch;
    unsigned same = 0, different = 0, refused = 0, implausible = 0;
    make_batch(&batch);
    for (unsigned at = 0; at < options->count; at += batch.count) {
        fill_batch(options, &batch, options->first + at, options->count - at);
        runner_run(options->kind, options->oracle, batch.programs, batch.count, batch.oracle);
        runner_run(options->kind, options->ours, batch.programs, batch.count, batch.ours);
        for (unsigned i = 0; i < batch.count; i++) {
            if (batch.oracle[i].state != RESULT_DONE) {
                if (refused++ < SHOWN)
                    printf("seed %" PRIu64 ": the oracle refuses: %s\n", batch.programs[i].seed, batch.oracle[i].text);
            } else if (batch.ours[i].state == RESULT_DONE &&
                       result_difference(options->kind, &batch.ours[i], &batch.oracle[i]) < 0) {
                same++;
                if (options->kind->tally)
                    options->kind->tally(&batch.programs[i]);
                if (is_implausible(options, &batch.programs[i], &batch.ours[i]) && implausible++ < SHOWN)
                    printf("seed %" PRIu64 ": both are wrong: %s\n", batch.programs[i].seed, batch.ours[i].text);
            } else if (different++ < SHOWN) {
                explain(options, &batch.programs[i]);
            }
        }
    }
    free_batch(&batch);
    if (options->kind->report)
        options->kind->report();
    printf("%u programs agree, %u differ, %u refused by the oracle\n", same, different, refused);
    return different || implausible || !same || refused > options->count / 20;
}

static int record(const struct options *options) {
    struct batch batch;
    FILE *file = fopen(options->record, "w");
    if (!file) {
        perror(options->record);
        return 3;
    }
    make_batch(&batch);
    fprintf(file, "# seed, hash of the program, hash of its results on the oracle (tests/conformance/compare.c)\n");
    for (unsigned at = 0; at < options->count; at += batch.count) {
        fill_batch(options, &batch, options->first + at, options->count - at);
        runner_run(options->kind, options->oracle, batch.programs, batch.count, batch.oracle);
        for (unsigned i = 0; i < batch.count; i++)
            if (batch.oracle[i].state == RESULT_DONE)
                fprintf(file, "%" PRIu64 " %016" PRIx64 " %016" PRIx64 "\n", batch.programs[i].seed,
                        program_hash(&batch.programs[i]), result_hash(options->kind, &batch.oracle[i]));
    }
    free_batch(&batch);
    return fclose(file) ? 3 : 0;
}

/* ---- Against the file ----------------------------------------------------------------------------------- */

struct expectation {
    uint64_t seed, program, result;
};

static unsigned read_expected(const char *name, struct expectation *list, unsigned limit) {
    char line[200];
    unsigned count = 0;
    FILE *file = fopen(name, "r");
    if (!file) {
        perror(name);
        return 0;
    }
    while (count < limit && fgets(line, sizeof line, file)) {
        struct expectation *e = &list[count];
        if (sscanf(line, "%" SCNu64 " %" SCNx64 " %" SCNx64, &e->seed, &e->program, &e->result) == 3)
            count++;
    }
    fclose(file);
    return count;
}

/* The number of programs that went wrong among those of one batch, which begins at the first of the list. */
static unsigned check_batch(const struct options *options, struct batch *batch, const struct expectation *list,
                            unsigned count) {
    unsigned wrong = 0, next = 0;
    runner_run(options->kind, options->ours, batch->programs, batch->count, batch->ours);
    for (unsigned i = 0; i < batch->count && next < count; i++) {
        const struct expectation *e = &list[next];
        if (e->seed != batch->programs[i].seed)
            continue; /* refused by the oracle when the file was made */
        next++;
        const char *why = NULL;
        if (e->program != program_hash(&batch->programs[i]))
            why = "the generator has changed: record the file anew";
        else if (batch->ours[i].state != RESULT_DONE)
            why = batch->ours[i].text;
        else if (e->result != result_hash(options->kind, &batch->ours[i]))
            why = "results differ from the oracle's (run with ORACLE=library to see where)";
        else if (is_implausible(options, &batch->programs[i], &batch->ours[i]))
            why = batch->ours[i].text;
        if (why && wrong++ < SHOWN)
            printf("seed %" PRIu64 ": %s\n", e->seed, why);
    }
    return wrong;
}

static int compare_with_file(const struct options *options) {
    static struct expectation list[20000];
    unsigned count = read_expected(options->expected, list, sizeof list / sizeof *list), wrong = 0, batch_end;
    struct batch batch;
    make_batch(&batch);
    for (unsigned at = 0; at < count; at = batch_end) {
        fill_batch(options, &batch, list[at].seed, runner_batch(options->kind));
        for (batch_end = at; batch_end < count && list[batch_end].seed < list[at].seed + runner_batch(options->kind);)
            batch_end++;
        batch.count = (unsigned)(list[batch_end - 1].seed - list[at].seed) + 1;
        wrong += check_batch(options, &batch, list + at, batch_end - at);
    }
    free_batch(&batch);
    printf("%u programs as expected, %u not\n", count - wrong, wrong);
    return wrong || !count;
}

static bool parse(int argc, char **argv, struct options *options) {
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (argv[i][0] != '-') {
            options->ours = argv[i];
            continue;
        }
        if (!value)
            return false;
        i++;
        if (!strcmp(argv[i - 1], "--oracle"))
            options->oracle = value;
        else if (!strcmp(argv[i - 1], "--expected"))
            options->expected = value;
        else if (!strcmp(argv[i - 1], "--record"))
            options->record = value;
        else if (!strcmp(argv[i - 1], "--first"))
            options->first = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i - 1], "--count"))
            options->count = (unsigned)strtoul(value, NULL, 0);
        else
            return false;
    }
    return options->record ? options->oracle != NULL : options->ours && (options->oracle || options->expected);
}

int compare_main(const struct generated_kind *kind, int argc, char **argv) {
    struct options options = { .kind = kind, .oracle = getenv("ORACLE"), .count = 10500 };
    if (options.oracle && !*options.oracle)
        options.oracle = NULL;
    if (!parse(argc, argv, &options)) {
        fprintf(stderr, "usage: LIBRARY [--oracle LIBRARY] [--expected FILE] [--record FILE] [--first SEED] "
                        "[--count N]\n");
        return 2;
    }
    if (options.record)
        return record(&options);
    return options.oracle ? compare_with_oracle(&options) : compare_with_file(&options);
}
