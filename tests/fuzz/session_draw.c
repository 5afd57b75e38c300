/* Draws sessions: see session.h. */
#include <stdlib.h>
#include <string.h>

#include "bhemu.h"
#include "session.h"

enum { STEPS = 60 };

#define SOFT_RESET_0 UINT64_C(0xFFB121B0)

struct draw {
    struct session *session;
    struct session_dice *dice;
    uint64_t chip;
    struct bh_xy home; /* where most of it happens */
};

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static struct session_call *add(struct draw *d, enum session_verb verb) {
    static struct session_call nowhere;
    struct session *session = d->session;
    if (session->count == SESSION_CALLS) {
        free(nowhere.data);
        nowhere = (struct session_call){ .verb = verb };
        return &nowhere;
    }
    struct session_call *call = &session->call[session->count++];
    *call = (struct session_call){ .verb = verb, .argument = { d->chip } };
    return call;
}

static void set(struct session_call *call, const char *name, uint64_t value) {
    const char *const *argument = session_verbs[call->verb].argument;
    for (unsigned i = 0; i < SESSION_ARGUMENTS && argument[i]; i++)
        if (strcmp(argument[i], name) == 0)
            call->argument[i] = value;
}

static void set_data(struct session_call *call, const uint32_t *word, unsigned words) {
    if (!(call->data = malloc((words ? words : 1) * sizeof *word)))
        exit(3);
    memcpy(call->data, word, words * sizeof *word);
    call->words = words;
}

static void set_word(struct session_call *call, uint32_t word) {
    set_data(call, &word, 1);
}

/* Seldom a NULL. */
static void set_null(struct draw *d, struct session_call *call) {
    if (dice_once_in(d->dice, 60))
        set(call, "null", 1 + dice_below(d->dice, 15));
}

/* Mostly below the limit. */
static uint32_t draw_index(struct draw *d, uint32_t limit) {
    return dice_once_in(d->dice, 24) ? session_draw_value(d->dice) : dice_below(d->dice, limit);
}

static struct bh_xy draw_tile(struct draw *d) {
    static const struct bh_xy others[8] = { { 1, 2 },   { 2, 2 },   { 1, 3 }, { 17, 12 },
                                            { 19, 24 }, { 20, 25 }, { 8, 0 }, { 18, 14 } };
    uint32_t kind = dice_below(d->dice, 16);
    if (kind < 11)
        return d->home;
    if (kind < 15)
        return others[dice_below(d->dice, 8)];
    return (struct bh_xy){ (uint8_t)dice_below(d->dice, 40), (uint8_t)dice_below(d->dice, 32) };
}

static struct session_call *add_at(struct draw *d, enum session_verb verb, struct bh_xy tile) {
    struct session_call *call = add(d, verb);
    set(call, "x", tile.x);
    set(call, "y", tile.y);
    return call;
}

/* ---- Chips ------------------------------------------------------------------------------------------------------ */

static void add_create(struct draw *d) {
    struct session_call *call = add(d, VERB_create);
    bool bad = dice_once_in(d->dice, 24);
    set(call, "threads", dice_below(d->dice, bad ? 100 : 4));
    set(call, "timing", dice_below(d->dice, bad ? 4 : 2));
    set(call, "callbacks", dice_below(d->dice, 4) ? 15 : dice_below(d->dice, 16));
    set(call, "eth_harvest", 0x120);
    switch (dice_below(d->dice, 4)) {
    case 0: set(call, "skew", 1); break;
    case 1: set(call, "skew", dice_below(d->dice, bad ? 1000 : BH_SKEW_MAX + 1)); break;
    default: break;
    }
    if (dice_below(d->dice, 3) == 0)
        set(call, "epoch", dice_below(d->dice, bad ? 1000 : BH_EPOCH_MAX + 1));
    if (dice_once_in(d->dice, 8)) {
        set(call, "board", dice_below(d->dice, bad ? 5 : 2));
        uint32_t columns = dice_word(d->dice);
        set(call, "tensix_harvest", columns & dice_word(d->dice) & 0x3FFF);
        set(call, "dram_harvest", UINT32_C(1) << dice_below(d->dice, 9));
        set(call, "eth_harvest", bad ? dice_word(d->dice) & 0xFFFF : 0x120);
    }
    set_null(d, call);
}

static void add_life(struct draw *d) {
    uint64_t chip = d->chip;
    d->chip = dice_below(d->dice, SESSION_CHIPS);
    switch (dice_below(d->dice, 4)) {
    case 0: add_create(d); break;
    case 1: (void)add(d, VERB_reset); break;
    case 2: (void)add(d, VERB_destroy); break;
    default: (void)add(d, VERB_hash); break;
    }
    d->chip = dice_below(d->dice, 2) ? chip : d->chip;
}

/* ---- Programs and time ------------------------------------------------------------------------------------------- */

static void add_load(struct draw *d, struct bh_xy tile, unsigned core, const uint32_t *word, unsigned words) {
    static const uint32_t start[BH_CORE_COUNT] = { 0, 0x6000, 0xA000, 0xE000, 0x12000 };
    bool elf = dice_once_in(d->dice, 12);
    struct session_call *call = add_at(d, elf ? VERB_elf : VERB_load, tile);
    set(call, "core", dice_once_in(d->dice, 60) ? session_draw_value(d->dice) : core);
    set(call, "address", dice_once_in(d->dice, 60) ? session_draw_value(d->dice) : start[core % BH_CORE_COUNT]);
    if (elf && dice_below(d->dice, 2))
        set(call, "local", dice_below(d->dice, 0x2100));
    if (elf && dice_once_in(d->dice, 4))
        set(call, "cut", dice_below(d->dice, 200));
    if (elf && dice_once_in(d->dice, 4))
        set(call, "change", dice_below(d->dice, 1000));
    set_data(call, word, words);
    set_null(d, call);
}

static void add_program(struct draw *d, struct bh_xy tile, unsigned core) {
    static uint32_t word[SESSION_WORDS];
    add_load(d, tile, core, word, session_draw_program(d->dice, core, word));
}

static void add_run(struct draw *d) {
    static const uint32_t lengths[8] = { 2, 40, 300, 300, 1000, 3000, 3000, 12000 };
    struct session_call *call = add(d, VERB_run);
    set(call, "cycles", dice_below(d->dice, lengths[dice_below(d->dice, 8)]));
    set(call, "flags", dice_below(d->dice, 3) ? 0 : dice_below(d->dice, dice_once_in(d->dice, 20) ? 8 : 4));
    if (dice_once_in(d->dice, 16))
        set(call, "null", 1);
}

static void add_release(struct draw *d, struct bh_xy tile, unsigned cores) {
    set(add_at(d, dice_once_in(d->dice, 10) ? VERB_hold : VERB_release, tile), "cores",
        dice_once_in(d->dice, 40) ? session_draw_value(d->dice) : cores);
}

/* Some cores of a tile. */
static void add_team(struct draw *d, struct bh_xy tile) {
    unsigned cores = 1 + dice_below(d->dice, BH_ALL_CORES);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (cores >> core & 1)
            add_program(d, tile, core);
    add_release(d, tile, cores);
    add_run(d);
}

/* One program on many tiles, so that there is work for host threads. */
static void add_crowd(struct draw *d) {
    static uint32_t word[SESSION_WORDS];
    unsigned core = dice_below(d->dice, BH_CORE_COUNT), words = session_draw_program(d->dice, core, word);
    for (unsigned i = 4 + dice_below(d->dice, 9); i; i--) {
        struct bh_xy tile = { (uint8_t)(1 + i % 4), (uint8_t)(2 + i / 4) };
        add_load(d, tile, core, word, words);
        add_release(d, tile, 1u << core);
    }
    add_run(d);
}

/* ---- Accesses ---------------------------------------------------------------------------------------------------- */

static uint64_t draw_size(struct draw *d) {
    switch (dice_below(d->dice, 16)) {
    case 0: return 0;
    case 1: return dice_below(d->dice, 20);
    case 2: return 4 * dice_below(d->dice, 1200);
    case 3: return dice_once_in(d->dice, 8) ? 0x180000 + dice_below(d->dice, 0x80000) : 64;
    default: return 4;
    }
}

static uint64_t draw_wide_address(struct draw *d) {
    uint64_t address = session_draw_address(d->dice);
    switch (dice_below(d->dice, 32)) {
    case 0: return address | (uint64_t)dice_word(d->dice) << 32;
    case 1: return UINT64_C(0xFFFFFFFFFF000000) + dice_below(d->dice, 0x1000);
    case 2: return UINT64_C(0x80000000) + dice_below(d->dice, 1 << 20);
    case 3: return UINT64_MAX - dice_below(d->dice, 64);
    default: return address;
    }
}

static void add_access(struct draw *d) {
    static const enum session_verb verbs[8] = { VERB_write, VERB_write, VERB_write, VERB_read,
                                                VERB_read,  VERB_poke,  VERB_peek,  VERB_write };
    struct session_call *call = add_at(d, verbs[dice_below(d->dice, 8)], draw_tile(d));
    set(call, "address", draw_wide_address(d));
    set(call, "size", draw_size(d));
    set_word(call, session_draw_value(d->dice));
    set_null(d, call);
}

static void add_soft_reset(struct draw *d) {
    struct session_call *call = add_at(d, VERB_write, draw_tile(d));
    uint32_t value = dice_below(d->dice, 2) ? 0 : 0x47000;
    for (unsigned bits = dice_below(d->dice, 4); bits; bits--)
        value ^= UINT32_C(1) << dice_below(d->dice, 32);
    set(call, "address", SOFT_RESET_0);
    set(call, "size", 4);
    set_word(call, value);
}

/* A window is aimed at a tile, then used. */
static void add_window(struct draw *d) {
    unsigned window = dice_below(d->dice, 210);
    struct bh_xy tile = draw_tile(d);
    uint32_t address = dice_below(d->dice, 4) ? session_draw_address(d->dice) : dice_word(d->dice);
    uint64_t shift = window < 202 ? 21 : 32;
    uint64_t aim = (uint64_t)address >> shift;
    uint64_t where = (uint64_t)tile.x | (uint64_t)tile.y << 6 | (dice_once_in(d->dice, 4) ? dice_word(d->dice) : 0u);
    unsigned start = shift == 21 ? 43 : 32;
    uint64_t low = aim | where << start, high = where >> (64 - start);
    uint32_t word[3] = { (uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high };
    struct session_call *call = add(d, VERB_bar_write);
    set(call, "offset", 0x1FC00000 + 12 * (uint64_t)window);
    set(call, "size", 12);
    set_data(call, word, 3);
    call = add(d, dice_below(d->dice, 2) ? VERB_bar_write : VERB_bar_read);
    set(call, "bar", window < 202 ? 0 : 4);
    set(call, "offset",
        window < 202 ? ((uint64_t)window << 21) + address % (1u << 21) : ((uint64_t)(window - 202) << 32) + address);
    set(call, "size", draw_size(d));
    set_word(call, session_draw_value(d->dice));
}

static void add_bar(struct draw *d) {
    static const uint32_t places[8] = { 0, 0x1FC00000, 0x1FD04000, 0x1FD14000, 0x1FE80000, 0x1FF00000, 0, 0x1000 };
    struct session_call *call = add(d, dice_below(d->dice, 2) ? VERB_bar_write : VERB_bar_read);
    set(call, "bar", dice_once_in(d->dice, 12) ? session_draw_value(d->dice) : 2 * dice_below(d->dice, 3));
    set(call, "offset", (uint64_t)places[dice_below(d->dice, 8)] + 4 * dice_below(d->dice, 1 << 10));
    set(call, "size", draw_size(d));
    set_word(call, session_draw_value(d->dice));
    set_null(d, call);
}

/* A channel of the DMA engine: its registers, then the doorbell. */
static void add_dma(struct draw *d) {
    uint32_t channel = 0x200 * dice_below(d->dice, 4);
    for (unsigned i = 1 + dice_below(d->dice, 12); i; i--) {
        struct session_call *call = add(d, VERB_bar_write);
        set(call, "bar", 2);
        set(call, "offset",
            channel + (dice_below(d->dice, 4) ? 4 * dice_below(d->dice, 12) : 4 * dice_below(d->dice, 128)));
        set(call, "size", 4);
        set_word(call, session_draw_value(d->dice));
    }
}

static void add_bus(struct draw *d) {
    bool writes = dice_below(d->dice, 2);
    struct session_call *call;
    if (dice_below(d->dice, 2)) {
        call = add(d, writes ? VERB_pci_config_write : VERB_pci_config_read);
        set(call, "offset", draw_index(d, 64) * (dice_once_in(d->dice, 20) ? 1 : 4));
        set(call, "value", session_draw_value(d->dice));
    } else {
        call = add(d, writes ? VERB_pci_write : VERB_pci_read);
        set(call, "address", draw_wide_address(d));
        set(call, "size", draw_size(d));
        set_word(call, session_draw_value(d->dice));
    }
    set_null(d, call);
}

static void add_host(struct draw *d) {
    switch (dice_below(d->dice, 4)) {
    case 0: add_window(d); break;
    case 1: add_bar(d); break;
    case 2: add_dma(d); break;
    default: add_bus(d); break;
    }
}

/* ---- The debug interface of the cores, and the debug bus --------------------------------------------------------- */

static void add_register(struct draw *d, struct bh_xy tile, uint32_t address, uint32_t value) {
    struct session_call *call = add_at(d, VERB_write, tile);
    set(call, "address", address);
    set(call, "size", 4);
    set_word(call, value);
}

/* Writes a register DR(i) of a core, a command more often than not. */
static void add_dr(struct draw *d, struct bh_xy tile) {
    static const uint8_t indices[8] = { 1, 1, 1, 1, 2, 3, 5, 10 };
    uint32_t i = indices[dice_below(d->dice, 8)], value = session_draw_value(d->dice);
    if (i == 1)
        value = UINT32_C(1) << 31 | UINT32_C(1) << dice_below(d->dice, 9);
    else if (i == 5)
        value = (8 + dice_below(d->dice, 4)) << 4 * dice_below(d->dice, 2);
    else if (i != 3)
        value = dice_below(d->dice, 2) ? 4 * dice_below(d->dice, 64) : session_draw_address(d->dice);
    add_register(d, tile, 0xFFB12084, value);
    add_register(d, tile, 0xFFB12080, 0);
    add_register(d, tile, 0xFFB12080, 0x80010000 | dice_below(d->dice, 4) << 17 | i);
}

/* Selects a group of the debug bus, and samples it. */
static void add_samples(struct draw *d, struct bh_xy tile) {
    uint32_t mode = dice_below(d->dice, 2) ? 4 | dice_below(d->dice, 64) << 4 : 1;
    add_register(d, tile, 0xFFB12054, UINT32_C(1) << 29 | 7 << 16 | dice_below(d->dice, 30));
    add_register(d, tile, 0xFFB12050, 15);
    add_register(d, tile, 0xFFB12048, 0x2000);
    add_register(d, tile, 0xFFB1204C, 0x2000 + dice_below(d->dice, 40));
    add_register(d, tile, 0xFFB12050, mode);
    add_register(d, tile, 0xFFB12050, mode | 1 << 12);
}

static void add_debugging(struct draw *d) {
    struct bh_xy tile = draw_tile(d);
    for (unsigned left = 1 + dice_below(d->dice, 4); left; left--)
        if (dice_once_in(d->dice, 6))
            add_samples(d, tile);
        else
            add_dr(d, tile);
}

/* ---- Questions --------------------------------------------------------------------------------------------------- */

static void add_core_call(struct draw *d) {
    static const enum session_verb verbs[8] = { VERB_core_query,  VERB_core_get,   VERB_core_set,    VERB_core_set,
                                                VERB_core_resume, VERB_core_fault, VERB_core_resume, VERB_core_get };
    struct session_call *call = add_at(d, verbs[dice_below(d->dice, 8)], draw_tile(d));
    set(call, "core", draw_index(d, BH_CORE_COUNT));
    set(call, "reg", dice_below(d->dice, 4) ? draw_index(d, 66) : BH_REG_CSR + draw_index(d, 0x1000));
    set(call, "value", session_draw_value(d->dice));
    set_null(d, call);
}

static void add_thread_call(struct draw *d) {
    unsigned which = dice_below(d->dice, VERB_semaphore_get - VERB_thread_query + 1);
    struct session_call *call = add_at(d, (enum session_verb)(VERB_thread_query + which), draw_tile(d));
    set(call, "thread", draw_index(d, BH_THREADS));
    set(call, "bank", draw_index(d, 2));
    set(call, "index", draw_index(d, dice_below(d->dice, 2) ? 8 : 220));
    set(call, "row", draw_index(d, 1024));
    set(call, "column", draw_index(d, 16));
    set(call, "lane", draw_index(d, 32));
    set(call, "value", session_draw_value(d->dice));
    set_null(d, call);
}

static void add_watch(struct draw *d) {
    struct session_call *call;
    switch (dice_below(d->dice, 4)) {
    case 0:
        call = add(d, VERB_observe);
        set(call, "what", draw_index(d, 8));
        break;
    case 1: call = add(d, VERB_flush); break;
    case 2:
        call = add_at(d, VERB_stats, draw_tile(d));
        set(call, "track", draw_index(d, BH_TRACK_COUNT));
        set(call, "index", draw_index(d, 4));
        break;
    default:
        call = add_at(d, VERB_profile, draw_tile(d));
        set(call, "core", draw_index(d, BH_CORE_COUNT));
        set(call, "pc", session_draw_value(d->dice));
        break;
    }
    set_null(d, call);
}

static void add_question(struct draw *d) {
    struct session_call *call;
    switch (dice_below(d->dice, 4)) {
    case 0:
        call = add_at(d, VERB_tile, draw_tile(d));
        set(call, "index", draw_index(d, 250));
        break;
    case 1:
        call = add(d, VERB_tables);
        set(call, "index", draw_index(d, 300));
        set(call, "word", session_draw_value(d->dice));
        set(call, "size", dice_below(d->dice, 100));
        break;
    default:
        call = add(d, VERB_look);
        set(call, "size", dice_below(d->dice, 3) ? 4000 : dice_below(d->dice, 200));
        break;
    }
    set_null(d, call);
}

/* Lets delays vary from somewhere in the session on. Drawn last, so that the other calls are those without it. */
static void insert_vary(struct draw *d) {
    struct session *session = d->session;
    if (session->count < 2 || session->count == SESSION_CALLS || dice_below(d->dice, 3))
        return;
    unsigned at = dice_below(d->dice, 2) ? 1 : 1 + dice_below(d->dice, session->count - 1);
    set(add(d, VERB_vary), "seed", dice_below(d->dice, 8) ? 1 + dice_below(d->dice, 1000) : 0);
    struct session_call call = session->call[session->count - 1];
    memmove(&session->call[at + 1], &session->call[at], (session->count - 1 - at) * sizeof call);
    session->call[at] = call;
}

/* ---- Sessions ---------------------------------------------------------------------------------------------------- */

static void add_step(struct draw *d) {
    uint32_t kind = dice_below(d->dice, 100);
    if (kind < 25)
        add_run(d);
    else if (kind < 37)
        add_team(d, draw_tile(d));
    else if (kind < 39)
        add_crowd(d);
    else if (kind < 44)
        add_program(d, draw_tile(d), dice_below(d->dice, BH_CORE_COUNT));
    else if (kind < 48)
        add_release(d, draw_tile(d), 1 + dice_below(d->dice, BH_ALL_CORES));
    else if (kind < 66)
        add_access(d);
    else if (kind < 69)
        add_soft_reset(d);
    else if (kind < 72)
        add_debugging(d);
    else if (kind < 78)
        add_core_call(d);
    else if (kind < 84)
        add_thread_call(d);
    else if (kind < 88)
        add_watch(d);
    else if (kind < 92)
        add_question(d);
    else if (kind < 98)
        add_host(d);
    else
        add_life(d);
}

void session_draw(struct session *session, struct session_dice *dice) {
    struct draw d = { .session = session, .dice = dice };
    session->count = 0;
    session->checks = 1 + dice_below(dice, CHECK_ALL);
    d.home = (struct bh_xy){ (uint8_t)(1 + dice_below(dice, 3)), (uint8_t)(2 + dice_below(dice, 2)) };
    add_create(&d);
    add_team(&d, d.home);
    for (unsigned steps = 4 + dice_below(dice, STEPS); steps && !dice_over(dice); steps--)
        add_step(&d);
    add_run(&d);
    (void)add(&d, VERB_look);
    insert_vary(&d);
}
