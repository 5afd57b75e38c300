/* Random programs for the coprocessor. TRISC0 to TRISC2 push to their threads, in about half of the programs BRISC
 * has done so before, and at the end the cores copy GPRs, Config and semaphores to L1.
 *
 * A program has phases with a barrier between them, of semaphores or of flags in L1. In a phase every word of Config
 * (of each bank) belongs to a thread, or can be read by all, or is a sum that all add to under mutex 0. A semaphore
 * between two threads hands words over. So every outcome is determined although the threads run side by side.
 *
 * What the oracle (ttsim 1.10.0) refuses is left out:
 *   Config     words that it has no storage for; it keeps only the bits with a name, so the others stay 0 here: a
 *              word with such bits is written by RMWCIB within them or with a value that fits. Bank 1 has no window,
 *              RDCFG shows it. Overrides of formats, stochastic rounding and its neighbours
 *              in words 0, 1 and 119. Unaligned WRCFG of 128 bits; STATE_RESET_EN; IC_INVALIDATE of 0 or more than 31
 *   ThreadConfig  has no window; registers that it does not have, 6 and 55
 *   SETDMAREG  of signals; ADDDMAREG and MULDMAREG with a constant; STOREREG but to overlay registers
 *   CFGSHIFTMASK  but the addition over the whole word
 *   semaphores more than one at a time, both conditions at once, posts at the maximum, gets at 0; mutexes but 0, taking
 *              one twice and giving back another's
 *   STALLWAIT  without a bit of either mask; C5, C6, C9 and C12; C7 and C8 wait for ever
 *   MOP        loop counts in the instruction, outer counts beyond 32 and inner beyond 64 or 0; REPLAY of 0 words,
 *              with bit 1 but not bit 0, or of what was never recorded
 *   BRISC      all windows of the coprocessor but pushes and Config
 */
#include <stdio.h>
#include <string.h>

#include "bhemu.h"
#include "draw.h"
#include "support/device.h"
#include "support/rv.h"
#include "tensix_plan.h"

/* The area, in words. */
enum {
    START_GPR = 0,
    START_CONFIG = START_GPR + THREADS * GPRS,
    START_CONFIG1 = START_CONFIG + 48, /* with the three scratch words behind */
    END_GPR = START_CONFIG1 + 48,
    END_CONFIG = END_GPR + THREADS * GPRS,
    END_CONFIG1 = END_CONFIG + 48, /* as far as it is read: WORDS, then ZEROS */
    END_SEMAPHORES = END_CONFIG1 + 48,
    FLAGS = END_SEMAPHORES + SEMAPHORES, /* the last barrier that each core has reached, 16 bytes apart */
    DONE = FLAGS + 4 * DEVICE_CORES,
    AREA = DONE + 1,
};
_Static_assert(WORDS + ZEROS <= 48 && WORDS + 3 <= 48, "the tables fit");
_Static_assert((int)AREA <= (int)GENERATED_AREA, "the area fits");

/* ---- The whole --------------------------------------------------------------------------------- */

static void add_item(struct plan *p, unsigned t, unsigned limit) {
    unsigned chosen = draw(&p->g, limit + 1);
    p->g.item = ++p->g.program->items;
    if (chosen < limit)
        items[chosen](p, t);
    p->g.item = 0;
    if (chosen == limit) /* frame: what follows reads and writes other words without it */
        set_bank(p, t, draw(&p->g, 2));
    make_room(&p->g, t, 30);
}

/* Says which barrier the core has reached, and waits until the others of a mask have. */
static void flag(struct plan *p, struct generated_part *part, unsigned number) {
    emit(&p->g, part, rv_addi(TEMP, 0, (int32_t)number));
    emit(&p->g, part, rv_sw(TEMP, area_offset(FLAGS + 4 * part->core), AREA_BASE));
}
static void await_flags(struct plan *p, struct generated_part *part, unsigned number) {
    emit(&p->g, part, rv_addi(TEMP, 0, (int32_t)number));
    for (unsigned t = 0; t < THREADS; t++) {
        emit(&p->g, part, rv_lw(TEMP + 1, area_offset(FLAGS + 4 * p->g.stream[t].core->core), AREA_BASE));
        emit(&p->g, part, rv_b(4, TEMP + 1, TEMP, -4)); /* blt */
    }
}

static void core_barrier(struct plan *p) {
    p->barriers++;
    for (unsigned t = 0; t < THREADS; t++) {
        sync(&p->g, t);
        flag(p, p->g.stream[t].core, p->barriers);
        await_flags(p, p->g.stream[t].core, p->barriers);
    }
}

static void tensix_barrier(struct plan *p) {
    for (unsigned t = 0; t < THREADS; t++)
        settle(&p->g, t);
    for (unsigned t = 1; t < THREADS; t++) {
        give(p, t, p->arrive[t]);
        take(p, 0, p->arrive[t]);
    }
    for (unsigned t = 1; t < THREADS; t++) {
        give(p, 0, p->go[t]);
        take(p, t, p->go[t]);
    }
}

static void brisc_pushes(struct plan *p) {
    unsigned count = 20 + draw(&p->g, 50);
    await_flags(p, p->g.brisc, p->barriers);
    p->g.by_brisc = true;
    while (count--) {
        unsigned t = draw(&p->g, THREADS);
        if (p->g.stream[t].queued < 150)
            add_item(p, t, ITEMS_BRISC);
    }
    for (unsigned t = 0; t < THREADS; t++)
        push(&p->g, t, sempost(p->channel[t]));
    p->g.by_brisc = false;
    for (unsigned t = 0; t < THREADS; t++)
        core_takes(p, t, p->channel[t]);
    core_barrier(p);
}

static void phase(struct plan *p) {
    unsigned count = 30 + draw(&p->g, 50);
    p->own_thread = draw(&p->g, THREADS);
    while (count--)
        add_item(p, draw(&p->g, THREADS), ITEMS);
}

/* Deals the eight semaphores to their duties. */
static void deal_semaphores(struct plan *p) {
    uint8_t *const duty[SEMAPHORES] = { &p->arrive[1],  &p->arrive[2],  &p->go[1],      &p->go[2],
                                        &p->channel[0], &p->channel[1], &p->channel[2], &p->own };
    uint8_t number[SEMAPHORES];
    for (unsigned i = 0; i < SEMAPHORES; i++)
        number[i] = (uint8_t)i;
    for (unsigned i = SEMAPHORES; i-- > 0;) {
        unsigned j = draw(&p->g, i + 1);
        *duty[i] = number[j];
        number[j] = number[i];
    }
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        unsigned max = 1 + draw(&p->g, 15);
        push(&p->g, 0, seminit(*duty[i], max, 0));
        if (duty[i] == &p->own)
            p->own_max = max;
    }
}

static void start_core(struct plan *p, struct generated_part *part) {
    bool brisc = part == p->g.brisc;
    emit_constant(&p->g, part, AREA_BASE, p->g.program->address + AREA_MIDDLE);
    emit_constant(&p->g, part, PUSH_BASE, 0xFFE40000);
    emit_constant(&p->g, part, CONFIG_BASE, 0xFFEF0000);
    emit_constant(&p->g, part, MOP_CONFIG, 0xFFB80000);
    emit_constant(&p->g, part, brisc ? PUSH1_BASE : GPR_BASE, brisc ? 0xFFE50000 : 0xFFE00000);
    emit_constant(&p->g, part, brisc ? PUSH2_BASE : SYNC_BASE, brisc ? 0xFFE60000 : 0xFFE80000);
}

/* TRISC0 sets both banks; bank 1 by way of its GPRs. */
static void start_config(struct plan *p) {
    struct generated_part *core = p->g.stream[0].core;
    for (unsigned i = 0; i < WORDS; i++) {
        emit(&p->g, core, rv_lw(TEMP, area_offset(START_CONFIG + i), AREA_BASE));
        emit(&p->g, core, rv_sw(TEMP, words[i].word * 4, CONFIG_BASE));
    }
    emit(&p->g, core, rv_lw(TEMP, words[WORDS - 1].word * 4, CONFIG_BASE));
    consume(&p->g, core, TEMP);
    emit_copy(&p->g, core, GPR_BASE, 0, AREA_BASE, area_offset(START_CONFIG1), WORDS + THREADS);
    emit(&p->g, core, rv_lw(TEMP, (WORDS + THREADS - 1) * 4, GPR_BASE));
    consume(&p->g, core, TEMP);
    set_bank(p, 0, 1);
    for (unsigned i = 0; i < WORDS + THREADS; i++)
        push(&p->g, 0, wrcfg(i < WORDS ? words[i].word : SCRATCH + i - WORDS, i, false));
    after_expansion(p, 0);
    set_bank(p, 0, 0);
    sync(&p->g, 0);
}

static void start_gprs(struct plan *p, unsigned t) {
    struct generated_part *core = p->g.stream[t].core;
    emit_copy(&p->g, core, GPR_BASE, 0, AREA_BASE, area_offset(START_GPR + t * GPRS), GPRS);
    emit(&p->g, core, rv_lw(TEMP, (GPRS - 1) * 4, GPR_BASE));
    consume(&p->g, core, TEMP);
}

static void finish_config(struct plan *p) {
    struct generated_part *core = p->g.stream[0].core;
    for (unsigned i = 0; i < WORDS + ZEROS; i++) {
        unsigned word = i < WORDS ? words[i].word : zeros[i - WORDS];
        emit(&p->g, core, rv_lw(TEMP, (int32_t)word * 4, CONFIG_BASE));
        emit(&p->g, core, rv_sw(TEMP, area_offset(END_CONFIG + i), AREA_BASE));
    }
    for (unsigned i = 0; i < SEMAPHORES; i++) {
        emit(&p->g, core, rv_lw(TEMP, semaphore_offset(i), SYNC_BASE));
        emit(&p->g, core, rv_sw(TEMP, area_offset(END_SEMAPHORES + i), AREA_BASE));
    }
    set_bank(p, 0, 1);
    for (unsigned i = 0; i < WORDS + ZEROS; i++)
        push(&p->g, 0, rdcfg(i < WORDS ? words[i].word : zeros[i - WORDS], i));
    sync(&p->g, 0);
    emit_copy(&p->g, core, AREA_BASE, area_offset(END_CONFIG1), GPR_BASE, 0, WORDS + ZEROS);
}

static void finish(struct plan *p) {
    core_barrier(p);
    for (unsigned t = 0; t < THREADS; t++)
        emit_copy(&p->g, p->g.stream[t].core, AREA_BASE, area_offset(END_GPR + t * GPRS), GPR_BASE, 0, GPRS);
    core_barrier(p);
    finish_config(p);
    emit_constant(&p->g, p->g.stream[0].core, TEMP, GENERATED_DONE);
    emit(&p->g, p->g.stream[0].core, rv_sw(TEMP, area_offset(DONE), AREA_BASE));
    for (unsigned part = 0; part < p->g.program->parts; part++)
        emit(&p->g, &p->g.program->part[part], rv_jal(0, 0));
}

static void draw_start(struct plan *p) {
    uint32_t *data = p->g.program->data;
    for (unsigned i = 0; i < THREADS * GPRS; i++)
        data[START_GPR + i] = draw_integer(&p->g.state);
    for (unsigned i = 0; i < WORDS; i++) {
        data[START_CONFIG + i] = draw_next(&p->g.state) & words[i].mask;
        data[START_CONFIG1 + i] = draw_next(&p->g.state) & words[i].mask;
    }
    for (unsigned i = 0; i < THREADS; i++)
        data[START_CONFIG1 + WORDS + i] = draw_integer(&p->g.state);
}

static void generate(struct generated *program, uint64_t seed) {
    struct plan p = { .g = { .program = program, .state = seed * UINT64_C(0xD1342543DE82EF95) + 7 } };
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->address = 0x20000;
    program->data_words = AREA;
    program->parts = THREADS + (unsigned)(seed % 2);
    for (unsigned i = 0; i < program->parts; i++)
        program->part[i].core = i < THREADS ? BH_TRISC0 + i : BH_BRISC;
    for (unsigned t = 0; t < THREADS; t++)
        p.g.stream[t].core = &program->part[t];
    p.g.brisc = program->parts > THREADS ? &program->part[THREADS] : NULL;
    draw_start(&p);
    for (unsigned i = 0; i < program->parts; i++)
        start_core(&p, &program->part[i]);
    start_config(&p);
    deal_semaphores(&p);
    for (unsigned t = 0; t < THREADS; t++) {
        start_gprs(&p, t);
        set_bank(&p, t, draw(&p.g, 2));
    }
    core_barrier(&p);
    deal_words(&p);
    if (p.g.brisc)
        brisc_pushes(&p);
    for (unsigned phases = 1 + draw(&p.g, 4); phases; phases--) {
        phase(&p);
        if (draw(&p.g, 2))
            core_barrier(&p);
        else
            tensix_barrier(&p);
        deal_words(&p);
    }
    finish(&p);
}

static bool is_compared(unsigned index) {
    return index >= END_GPR && index < FLAGS;
}

static void name(const struct generated *program, unsigned index, char *text, unsigned size) {
    (void)program;
    if (index >= END_SEMAPHORES)
        snprintf(text, size, "semaphore %u", index - END_SEMAPHORES);
    else if (index >= END_CONFIG) {
        unsigned bank = index >= END_CONFIG1, i = index - (bank ? END_CONFIG1 : END_CONFIG);
        snprintf(text, size, "word %u of bank %u", i < WORDS ? words[i].word : zeros[i - WORDS], bank);
    } else
        snprintf(text, size, "GPR %u of thread %u", (index - END_GPR) % GPRS, (index - END_GPR) / GPRS);
}

static void print_start(const struct generated *program) {
    for (unsigned i = 0; i < THREADS * GPRS; i++)
        printf("%sT%u GPR %2u %08x", i % 6 ? "  " : "\n    ", i / GPRS, i % GPRS, program->data[START_GPR + i]);
    for (unsigned i = 0; i < WORDS; i++)
        printf("%sword %3u %08x, %08x", i % 4 ? "  " : "\n    ", words[i].word, program->data[START_CONFIG + i],
               program->data[START_CONFIG1 + i]);
    printf("\n");
}

const struct generated_kind generated_tensix = {
    .generate = generate,
    .per_tile = 1,
    .area_words = AREA,
    .done_word = DONE,
    .is_compared = is_compared,
    .is_clue = is_compared,
    .name = name,
    .print_start = print_start,
};
