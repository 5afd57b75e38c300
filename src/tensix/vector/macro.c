/* SFPLOADMACRO: a load that schedules instructions for four of the sub-units.
 *
 *     sequence, 8 bits a sub-unit:  2:0 what (0 nothing, 2 SFPNOP, 3 SFPSTORE, 4.. a template)  5:3 delay
 *                                   6 VD is LReg16   7 VB, not VC, is the load's VD (store: VD as in the template)
 *     misc:  3:0 mode of stores  7:4 a bit for each macro: stores have the mode of the load instead
 *            11:8 a bit for each sub-unit: delays count issued instructions, not cycles
 *
 * An instruction scheduled in cycle c with delay d executes in cycle c + 1 + d. All instructions of a cycle see the
 * LRegs as the cycle before left them (`before` keeps a copy). MAD and round execute at the start of the cycle, then
 * the regular instruction if there is one. Store and simple execute at the start of the next cycle, because only simple
 * changes flags and configuration; a store executes before a regular simple instruction.
 *
 * Time goes from event to event: a landing (TENSIX_LAND_VECTOR) occurs at the start of each cycle that has scheduled
 * instructions, and of the cycle after it.
 *
 * Assumed, where the page says nothing: Columns with different configurations count delays separately. Instructions
 * that execute in a cycle do not influence how others count in that cycle. If several sub-units write an LReg in the
 * same cycle, simple wins, then load, then round. SFPAND and SFPOR that do not use VB use VD of the template, as other
 * simple instructions do. SFPNOP is exempt from the rules for simultaneous instructions, and an idle MAD sub-unit
 * serves SFPSWAP as a scheduled SFPNOP does; regular instructions obey the rules too. A backdoor load for a sub-unit
 * that has a scheduled instruction is discarded. Instructions that wait for others to be issued do not make the unit
 * busy. Source: SFPLOADMACRO.md (BH). */
#include <string.h>

#include "tensix/clock.h"
#include "tensix/vector/operands.h"

#define EACH_UNIT 0x01010101u /* the lowest bit of each sub-unit's byte */

enum { DELAY_SHIFT = 3, TO_LREG16 = 0x40, INTO_VB = 0x80, VD_OF_TEMPLATE = 0x80 };
enum { NOTHING, UNDEFINED, SOME_NOP, SOME_STORE, TEMPLATE };

enum result { RESULT_NOW, RESULT_LATE, RESULT_LUT32, RESULT_SWAP, RESULT_SHFT2 };

struct op {
    vector_action *action;
    uint8_t unit, form, result;
};

static const struct op ops[] = {
#define VECTOR_OP(name, unit, form, reads, result, home) \
    [TENSIX_##name - TENSIX_SFPLOAD] = { vector_##name, VECTOR_##unit, VECTOR_FORM_##form, RESULT_##result },
#include "tensix/vector/vector.def"
};

/* Returns the entry of a vector instruction, or NULL if the word is not one. */
static const struct op *op_of(uint32_t word) {
    unsigned index = (word >> 24) - TENSIX_SFPLOAD;
    return index < sizeof ops / sizeof *ops ? &ops[index] : NULL;
}

static bool is(uint32_t word, uint8_t opcode) {
    return word >> 24 == opcode;
}

/* Returns the number of cycles from the start of the instruction to the first cycle that can read its result. */
static unsigned takes(const struct vector_scheduled *s) {
    switch (op_of(s->word)->result) {
    case RESULT_NOW: return 1;
    case RESULT_SHFT2:
        return s->mod >= 2 && s->mod <= 4 ? TENSIX_PART_SFPSHFT2_ACROSS : (unsigned)TENSIX_LATENCY_SFPSHFT2;
    default: return VECTOR_LATENCY;
    }
}

static uint32_t lanes_of(const struct vector *v, unsigned schedule) {
    return v->schedules == 1 ? LANES_ALL : EACH_UNIT << schedule;
}

static uint32_t bit(unsigned unit, unsigned delay) {
    return 1u << (8 * unit + delay);
}

/* ---- Time -------------------------------------------------------------------------------------------- */

static void count_down(struct vector_schedule *s, unsigned steps) {
    uint32_t keep = (0xFFu >> steps) * EACH_UNIT;
    s->waiting = s->waiting >> steps & keep;
    s->by_instruction = s->by_instruction >> steps & keep;
    s->first = (s->first + steps) % VECTOR_DELAYS;
}

/* Brings the schedules forward to the start of cycle `now`. Precondition: between v->clock and `now` no instruction has
 * been issued, and none has executed. */
static void advance(struct tensix *x, uint64_t now) {
    struct vector *v = &x->vector;
    if (now <= v->clock)
        return;
    for (unsigned i = 0; i < v->schedules; i++) {
        struct vector_schedule *s = &v->schedule[i];
        if (!s->waiting || s->by_instruction)
            continue;
        uint64_t steps = now - v->clock;
        if (BH_CHECK(x->error, steps < VECTOR_DELAYS))
            count_down(s, (unsigned)steps);
    }
    v->clock = now;
}

/* Returns the next cycle in which a scheduled instruction executes; TENSIX_NEVER if none does, or if the cycle depends
 * on instructions yet to be issued. */
static uint64_t next_execution(const struct vector *v) {
    uint64_t next = TENSIX_NEVER;
    for (unsigned i = 0; i < v->schedules; i++) {
        const struct vector_schedule *s = &v->schedule[i];
        uint32_t any = s->waiting | s->waiting >> 16;
        any = (any | any >> 8) & 0xFF;
        uint64_t at = any ? v->clock + (unsigned)__builtin_ctz(any) : TENSIX_NEVER;
        if (at < next && (at == v->clock || !s->by_instruction))
            next = at;
    }
    return next;
}

static void tick_at(struct tensix *x, uint64_t time) {
    uint16_t tick = (uint16_t)(1u << time % 16);
    if (time == TENSIX_NEVER || (x->vector.ticks & tick))
        return;
    x->vector.ticks |= tick;
    tensix_land_word(x, time, landing_key(TENSIX_LAND_VECTOR, 0, 0, 0), 0);
}

/* Makes the unit busy until the scheduled instructions are done. Does nothing while any of them counts issued
 * instructions. */
static void count_as_busy(struct tensix *x, const struct vector_schedule *s) {
    for (uint32_t left = s->by_instruction ? 0 : s->waiting; left; left &= left - 1) {
        unsigned bit = (unsigned)__builtin_ctz(left), delay = bit % VECTOR_DELAYS;
        const struct vector_scheduled *one = &s->ring[bit / VECTOR_DELAYS][(s->first + delay) % VECTOR_DELAYS];
        tensix_busy_until(x, one->thread, TENSIX_BUSY_VECTOR, x->vector.clock + delay + takes(one));
    }
}

/* ---- Execution --------------------------------------------------------------------------------------- */

static struct vector_turn turn_of(struct tensix *x, unsigned schedule, unsigned unit) {
    struct vector *v = &x->vector;
    const struct vector_scheduled *s = &v->schedule[schedule].now[unit];
    return (struct vector_turn){
        .x = x,
        .v = v,
        .in = v->before,
        .now = v->open_at,
        .word = s->word,
        .lanes = lanes_of(v, schedule),
        .thread = s->thread,
        .va = s->word >> 16 & 15,
        .vb = s->vb,
        .vc = s->vc,
        .vd = s->vd,
        .mod = s->mod,
        .address = s->address,
        .scheduled = true,
    };
}

static void execute(struct tensix *x, unsigned schedule, unsigned unit) {
    struct vector *v = &x->vector;
    struct vector_turn turn = turn_of(x, schedule, unit);
    unsigned cycles = takes(&v->schedule[schedule].now[unit]);
    op_of(turn.word)->action(&turn);
    if (cycles == VECTOR_LATENCY && unit != VECTOR_MAD) { /* SFPSWAP, or SFPSHFT2 across lanes */
        v->second_at = turn.now + VECTOR_LATENCY - 1;
        v->second = unit == VECTOR_SIMPLE ? 1u << VECTOR_SIMPLE | 1u << VECTOR_ROUND : 1u << VECTOR_ROUND;
    }
    tensix_busy_until(x, turn.thread, TENSIX_BUSY_VECTOR, turn.now + cycles);
}

static void execute_all(struct tensix *x, unsigned unit) {
    struct vector *v = &x->vector;
    for (unsigned i = 0; i < v->schedules; i++) {
        if (!(v->schedule[i].left & bit(unit, 0)))
            continue;
        v->schedule[i].left &= ~bit(unit, 0);
        if (!is(v->schedule[i].now[unit].word, TENSIX_SFPNOP))
            execute(x, i, unit);
    }
}

/* ---- Instructions that must not execute together ----------------------------------------------------------------- */

/* Returns the instruction that the sub-unit executes in this cycle; NULL if there is none, or only SFPNOP. */
static const struct vector_scheduled *meets(const struct vector_schedule *s, unsigned unit) {
    const struct vector_scheduled *now = &s->now[unit];
    return (s->executing & bit(unit, 0)) && !is(now->word, TENSIX_SFPNOP) ? now : NULL;
}

static const char both_write[] =
    "a simple and a round instruction in the same cycle are undefined unless one of the two "
    "has LReg16 for VD";
static const char swap_and_mad[] = "SFPSWAP and a MAD instruction in the same cycle are undefined";
static const char second_cycle[] = "undefined in the second cycle of an SFPSWAP or SFPSHFT2";

/* Returns the rule that the scheduled instructions of a cycle break, and in *unit the sub-unit that does not execute;
 * NULL if they break none. */
static const char *forbidden(const struct vector *v, const struct vector_schedule *s, unsigned *unit) {
    const struct vector_scheduled *simple = meets(s, VECTOR_SIMPLE), *round = meets(s, VECTOR_ROUND);
    uint32_t second = v->second_at == v->open_at ? v->second : 0;
    *unit = simple ? VECTOR_SIMPLE : VECTOR_ROUND;
    if (simple && round && (simple->vd == 16) == (round->vd == 16))
        return both_write;
    if (simple && is(simple->word, TENSIX_SFPSWAP) && meets(s, VECTOR_MAD))
        return swap_and_mad;
    if (simple && (second >> VECTOR_SIMPLE & 1))
        return second_cycle;
    *unit = VECTOR_ROUND;
    return round && (second >> VECTOR_ROUND & 1) ? second_cycle : NULL;
}

static void check(struct tensix *x, unsigned schedule) {
    struct vector *v = &x->vector;
    unsigned unit;
    const char *text = forbidden(v, &v->schedule[schedule], &unit);
    if (!text)
        return;
    struct vector_turn turn = turn_of(x, schedule, unit);
    vector_refuse(&turn, BH_FAULT_UNDEFINED, "%s", text);
    v->schedule[schedule].left &= ~bit(unit, 0);
}

/* Does the same for a regular instruction together with those of a schedule. */
static const char *forbidden_with(const struct vector_turn *turn, unsigned unit, const struct vector_schedule *s) {
    const struct vector_scheduled *simple = meets(s, VECTOR_SIMPLE), *round = meets(s, VECTOR_ROUND);
    if (unit == VECTOR_SIMPLE && round && round->vd != 16)
        return both_write;
    if (unit == VECTOR_ROUND && simple && simple->vd != 16)
        return both_write;
    if (is(turn->word, TENSIX_SFPSWAP) && meets(s, VECTOR_MAD))
        return swap_and_mad;
    if (unit == VECTOR_MAD && simple && is(simple->word, TENSIX_SFPSWAP))
        return swap_and_mad;
    return NULL;
}

/* ---- A cycle -------------------------------------------------------------------------------------------- */

static void close_cycle(struct tensix *x) {
    execute_all(x, VECTOR_STORE);
    execute_all(x, VECTOR_SIMPLE);
    x->vector.open = false;
}

/* Moves the instructions with delay 0 to s->executing. If the last one that counted issued instructions is among them,
 * the others make the unit busy from now on. */
static uint32_t take_executing(struct tensix *x, struct vector_schedule *s) {
    bool by_instruction = s->by_instruction;
    s->executing = s->left = s->waiting & EACH_UNIT;
    s->waiting &= ~EACH_UNIT;
    s->by_instruction &= ~EACH_UNIT;
    for (unsigned unit = 0; s->executing && unit < VECTOR_SCHEDULED; unit++)
        s->now[unit] = s->ring[unit][s->first];
    if (by_instruction)
        count_as_busy(x, s);
    return s->executing;
}

static void open_cycle(struct tensix *x, uint64_t now) {
    struct vector *v = &x->vector;
    v->open = true;
    v->open_at = now;
    vector_arrive(v, now);
    memcpy(v->before, v->lreg, sizeof v->before);
    for (unsigned i = 0; i < v->schedules; i++)
        check(x, i);
    execute_all(x, VECTOR_MAD);
    execute_all(x, VECTOR_ROUND);
    tick_at(x, now + 1);
}

static bool any_waiting(const struct vector *v) {
    uint32_t any = 0;
    for (unsigned i = 0; i < v->schedules; i++)
        any |= v->schedule[i].waiting;
    return any;
}

void vector_tick(struct tensix *x, uint64_t now) {
    struct vector *v = &x->vector;
    uint32_t any = 0;
    v->ticks &= (uint16_t) ~(1u << now % 16);
    if (!v->macros || (v->open && v->open_at == now))
        return;
    if (v->open)
        close_cycle(x);
    advance(x, now);
    for (unsigned i = 0; i < v->schedules; i++)
        any |= take_executing(x, &v->schedule[i]);
    if (any)
        open_cycle(x, now);
    tick_at(x, next_execution(v));
    bool second = v->second_at == now; /* vector_join needs to know about the second cycle */
    v->macros = v->open || second || any_waiting(v);
}

/* ---- Regular instructions in between ----------------------------------------------------------------------- */

/* Removes the lanes in which a scheduled instruction occupies the sub-unit from turn->lanes. Returns the rule that the
 * instruction breaks in the others, or NULL. */
static const char *meet(struct vector_turn *turn, unsigned unit, bool executes) {
    const struct vector *v = turn->v;
    const char *text = NULL;
    for (unsigned i = 0; i < v->schedules; i++) {
        const struct vector_schedule *s = &v->schedule[i];
        if (unit < VECTOR_SCHEDULED && (s->executing & bit(unit, 0)))
            turn->lanes &= ~lanes_of(v, i);
        else if (executes && !text)
            text = forbidden_with(turn, unit, s);
    }
    return text;
}

static void count_issue(struct tensix *x, uint64_t now) {
    struct vector *v = &x->vector;
    for (unsigned i = 0; i < v->schedules; i++)
        count_down(&v->schedule[i], 1);
    v->clock = now + 1;
    tick_at(x, next_execution(v));
}

bool vector_join(struct vector_turn *turn, enum vector_sub_unit unit, bool executes) {
    struct vector *v = turn->v;
    const char *text = NULL;
    vector_tick(turn->x, turn->now);
    if (v->open) {
        turn->in = v->before;
        text = meet(turn, unit, executes);
    }
    if (!text && executes && turn->lanes && v->second_at == turn->now && (v->second >> unit & 1))
        text = second_cycle;
    if (text) {
        vector_refuse(turn, BH_FAULT_UNDEFINED, "%s (one of them is scheduled by SFPLOADMACRO)", text);
        return false;
    }
    if (v->open && unit == VECTOR_SIMPLE && turn->lanes)
        execute_all(turn->x, VECTOR_STORE);
    count_issue(turn->x, turn->now);
    return turn->lanes;
}

/* ---- Scheduling ------------------------------------------------------------------------------------------ */

/* Returns the word that a sequence selects; SFPNOP if the sub-unit cannot execute it. */
static uint32_t word_for(const struct vector_macro_config *config, unsigned unit, unsigned what) {
    static const uint32_t nop = (uint32_t)TENSIX_SFPNOP << 24, store = (uint32_t)TENSIX_SFPSTORE << 24;
    uint32_t word = what == SOME_NOP ? nop : what == SOME_STORE ? store : config->template[what % TEMPLATE];
    const struct op *op = op_of(word);
    return op && op->unit == unit ? word : nop;
}

static unsigned sequence_of(const struct vector_macro_config *config, unsigned macro, unsigned unit) {
    return config->sequence[macro] >> 8 * unit & 0xFF;
}

/* Returns why a column's macro is undefined, or NULL. */
static const char *undefined(const struct vector_macro_config *config, unsigned macro) {
    for (unsigned unit = 0; unit < VECTOR_SCHEDULED; unit++) {
        unsigned what = sequence_of(config, macro, unit) % VECTOR_DELAYS;
        if (what == UNDEFINED)
            return "the macro's sequence selects instruction 1 for a sub-unit, which is undefined";
        if (what != NOTHING && unit == VECTOR_STORE && !is(word_for(config, unit, what), TENSIX_SFPSTORE))
            return "the macro's sequence has something else than SFPSTORE for the store sub-unit, which is undefined";
    }
    return NULL;
}

static bool stores(const struct vector_macro_config *config, unsigned macro) {
    return sequence_of(config, macro, VECTOR_STORE) % VECTOR_DELAYS != NOTHING;
}

bool vector_macro_stores(const struct vector *v, uint32_t word) {
    return stores(&v->macro[0], word >> 22 & 3);
}

static bool refuse_macro(struct vector_turn *turn, unsigned macro) {
    const struct vector *v = turn->v;
    const char *text = undefined(&v->macro[0], macro);
    for (unsigned i = 1; v->columns_differ && !text && i < VECTOR_COLUMNS; i++) {
        text = undefined(&v->macro[i], macro);
        if (!text && stores(&v->macro[i], macro) != stores(&v->macro[0], macro))
            text = "the macro stores in some columns and not in others, which is undefined";
    }
    if (text)
        vector_refuse(turn, BH_FAULT_UNDEFINED, "%s", text);
    return text;
}

/* Sets VD, and VB or VC, from SFPLOADMACRO. */
static void override(struct vector_turn *turn, unsigned bits, const struct vector_turn *load) {
    if (bits & INTO_VB)
        turn->vb = load->vd;
    else
        turn->vc = load->vd;
    turn->vd = bits & TO_LREG16 ? 16 : load->vd;
}

static void override_store(struct vector_turn *turn, unsigned bits, const struct vector_turn *load, unsigned macro,
                           uint32_t misc) {
    if (bits & TO_LREG16)
        turn->vd = 16;
    else if (!(bits & VD_OF_TEMPLATE))
        turn->vd = load->vd;
    turn->mod = misc >> (4 + macro) & 1 ? load->mod : misc & 15;
}

static struct vector_scheduled scheduled(const struct vector_turn *load, const struct vector_macro_config *config,
                                         unsigned macro, unsigned unit, unsigned bits) {
    struct vector_turn turn = { .word = word_for(config, unit, bits % VECTOR_DELAYS) };
    vector_find_operands(&turn, op_of(turn.word)->form);
    if (unit == VECTOR_STORE)
        override_store(&turn, bits, load, macro, config->misc);
    else
        override(&turn, bits, load);
    return (struct vector_scheduled){
        .word = turn.word,
        .address = (uint16_t)load->address,
        .vb = (uint8_t)turn.vb,
        .vc = (uint8_t)turn.vc,
        .vd = (uint8_t)turn.vd,
        .mod = (uint8_t)turn.mod,
        .thread = (uint8_t)load->thread,
    };
}

/* Adds an instruction to a schedule. Returns the first cycle after it in which the unit is not busy. */
static uint64_t put(struct vector_schedule *s, unsigned unit, unsigned delay, const struct vector_scheduled *one,
                    bool by_instruction, uint64_t clock) {
    s->ring[unit][(s->first + delay) % VECTOR_DELAYS] = *one;
    s->waiting |= bit(unit, delay);
    if (by_instruction)
        s->by_instruction |= bit(unit, delay);
    return clock + delay + takes(one);
}

static void schedule(const struct vector_turn *load, struct vector_schedule *s,
                     const struct vector_macro_config *config, unsigned macro) {
    bool others = s->by_instruction; /* those already scheduled have not made the unit busy yet */
    uint64_t until = 0;
    for (unsigned unit = 0; unit < VECTOR_SCHEDULED; unit++) {
        unsigned bits = sequence_of(config, macro, unit), delay = bits >> DELAY_SHIFT & 7;
        s->waiting &= ~bit(unit, delay);
        s->by_instruction &= ~bit(unit, delay);
        if (bits % VECTOR_DELAYS == NOTHING)
            continue;
        struct vector_scheduled one = scheduled(load, config, macro, unit, bits);
        uint64_t end = put(s, unit, delay, &one, config->misc >> (8 + unit) & 1, load->v->clock);
        until = end > until ? end : until;
    }
    if (others)
        count_as_busy(load->x, s);
    else if (!s->by_instruction)
        tensix_busy_until(load->x, load->thread, TENSIX_BUSY_VECTOR, until);
}

/* Gives each column a schedule of its own if the columns' configurations differ. */
static void split(struct vector *v) {
    if (v->schedules == VECTOR_COLUMNS || !v->columns_differ)
        return;
    v->schedules = VECTOR_COLUMNS;
    for (unsigned i = 1; i < VECTOR_COLUMNS; i++)
        v->schedule[i] = v->schedule[0];
}

static void begin(struct vector *v, uint64_t now) {
    v->schedules = 1;
    v->schedule[0].waiting = v->schedule[0].by_instruction = v->schedule[0].executing = v->schedule[0].left = 0;
    v->clock = now + 1;
}

void vector_SFPLOADMACRO(struct vector_turn *turn) {
    struct vector *v = turn->v;
    unsigned macro = turn->word >> 22 & 3;
    if (refuse_macro(turn, macro))
        return;
    vector_SFPLOAD(turn);
    if (!v->macros)
        begin(v, turn->now);
    split(v);
    for (unsigned i = 0; i < v->schedules; i++)
        schedule(turn, &v->schedule[i], &v->macro[i], macro);
    v->macros = v->open || any_waiting(v);
    v->plain_from = TENSIX_NEVER;
    tick_at(turn->x, next_execution(v));
}
