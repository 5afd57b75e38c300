/* Works out which kind of hazard two accesses are, and keeps the list of hazards. */
#include <stdio.h>
#include <string.h>

#include "base/line.h"
#include "base/list.h"
#include "hazard/search.h"
#include "isa/config.h"

enum { MOST = 4096 }; /* causes that are kept */

static bool is_niu(const struct hazard_access *access, unsigned agent) {
    unsigned index = access->epoch.agent - HAZARD_NIU0;
    if (access->epoch.agent < HAZARD_NIU0)
        return false;
    index %= HAZARD_NOC_AGENTS;
    return agent == HAZARD_READ ? index >= HAZARD_READ : index == agent;
}

static bool is_source(const struct hazard_access *access) {
    return is_niu(access, HAZARD_WRITE_SOURCE) || is_niu(access, HAZARD_POSTED_SOURCE);
}

static bool is_delivery(const struct hazard_access *access) {
    return is_niu(access, HAZARD_WRITE) || is_niu(access, HAZARD_POSTED) || is_niu(access, HAZARD_ATOMIC);
}

static bool is_store(const struct hazard_access *access) {
    return access->epoch.agent >= HAZARD_L1_STORES && access->epoch.agent < HAZARD_GPR_STORES;
}

static bool writes(const struct hazard_access *access) {
    return access->how != HAZARD_READS;
}

static enum bh_hazard_kind kind_in_l1(const struct hazard_access *first, const struct hazard_access *second) {
    if (second->stale)
        return BH_HAZARD_STALE_LINE;
    if (is_niu(first, HAZARD_READ) && writes(first))
        return BH_HAZARD_READ_IN_FLIGHT;
    if (is_niu(second, HAZARD_READ) && writes(second))
        return first->cycle > second->begun ? BH_HAZARD_READ_IN_FLIGHT : BH_HAZARD_READ_OVERWRITES;
    if (is_source(first))
        return BH_HAZARD_SOURCE_IN_FLIGHT;
    if (first->small && second->small)
        return first->how == HAZARD_CHANGES || second->how == HAZARD_CHANGES ? BH_HAZARD_LOST_COUNT
                                                                             : BH_HAZARD_LOST_MESSAGE;
    if (is_store(first))
        return BH_HAZARD_STORE_ON_ITS_WAY;
    if (is_delivery(first))
        return BH_HAZARD_REMOTE_WRITE;
    if (is_delivery(second))
        return BH_HAZARD_REMOTE_OVERWRITES;
    return BH_HAZARD_L1_BY_UNITS;
}

static enum bh_hazard_kind kind_of(enum hazard_memory memory, const struct hazard_access *first,
                                   const struct hazard_access *second) {
    if (first->source == HAZARD_NOBODY && memory != HAZARD_CB_COUNT)
        return BH_HAZARD_UNWRITTEN;
    switch (memory) {
    case HAZARD_L1: return kind_in_l1(first, second);
    case HAZARD_GPR: return BH_HAZARD_GPR;
    case HAZARD_DST: return BH_HAZARD_DST;
    case HAZARD_SRC: return BH_HAZARD_SRC;
    case HAZARD_LREG: return BH_HAZARD_LREG;
    case HAZARD_MOP_REGISTERS: return BH_HAZARD_MOP;
    case HAZARD_SEMAPHORE: return BH_HAZARD_SEMAPHORE;
    case HAZARD_REPLAY: return BH_HAZARD_REPLAY;
    case HAZARD_AT_END: return BH_HAZARD_AT_END;
    case HAZARD_CB_SHARED: return BH_HAZARD_CB_SHARED;
    case HAZARD_CB_COUNT: return BH_HAZARD_CB_COUNT;
    case HAZARD_CB_PAGE: return BH_HAZARD_CB_PAGE;
    case HAZARD_CB_OVERLAP: return BH_HAZARD_CB_OVERLAP;
    case HAZARD_COMMANDS: return BH_HAZARD_COMMAND;
    case HAZARD_THREAD_CONFIG: return BH_HAZARD_LOST_FIELD;
    default: return writes(first) ? BH_HAZARD_CONFIG_ON_ITS_WAY : BH_HAZARD_CONFIG_IN_USE;
    }
}

/* The verdict is LATENT if the second agent knows that the first access was made (in_time), and only time has made it
 * complete. A store to L1 or to a semaphore is then always LATENT, because nobody has seen one come too late, and so is
 * a request at an end that firmware notes. A store to a GPR or to Config is LATENT only if it was made more than 128
 * cycles before: such stores wait for one or two cycles at a time. The times are assumed. */
static enum bh_verdict verdict_of(const struct hazard_access *first, const struct hazard_access *second) {
    enum { LONG = 128 };
    if (first->suspect || first->source == HAZARD_NOBODY)
        return BH_VERDICT_SUSPECT;
    if (first->same)
        return BH_VERDICT_BENIGN;
    if (first->uncertain || second->uncertain || first->open_end)
        return BH_VERDICT_UNCERTAIN;
    bool is_fast = is_store(first) || first->epoch.agent >= HAZARD_SEM_STORES;
    if (first->in_time && (is_fast || second->cycle > first->cycle + LONG))
        return BH_VERDICT_LATENT;
    return BH_VERDICT_RACE;
}

static void name_agent(char *text, size_t size, unsigned agent) {
    static const char *const units[HAZARD_UNITS] = {
        [HAZARD_UNPACK0] = "unpacker 0",  [HAZARD_UNPACK1] = "unpacker 1",        [HAZARD_PACK] = "packer",
        [HAZARD_MATRIX] = "Matrix Unit",  [HAZARD_VECTOR] = "Vector Unit",        [HAZARD_SCALAR] = "Scalar Unit",
        [HAZARD_SETTING] = "Scalar Unit", [HAZARD_CONFIG] = "Configuration Unit", [HAZARD_MOVER] = "mover",
    };
    static const char *const requests[] = { "write", "write", "posted write", "posted write", "atomic", "read" };
    if (agent < HAZARD_THREAD)
        line_put(text, size, "%s%s", bh_core_name((enum bh_core)(agent % BH_CORE_COUNT)),
                 agent < HAZARD_L1_STORES ? "" : ", store");
    else if (agent < HAZARD_MOP)
        line_put(text, size, "thread %u", agent - HAZARD_THREAD);
    else if (agent < HAZARD_IN_UNIT)
        line_put(text, size, "MOP expander %u", agent - HAZARD_MOP);
    else if (agent < HAZARD_NIU0)
        line_put(text, size, "%s", units[(agent - HAZARD_IN_UNIT) / BH_THREADS]);
    else {
        unsigned index = (agent - HAZARD_NIU0) % HAZARD_NOC_AGENTS;
        line_put(text, size, "NoC %u %s", (agent - HAZARD_NIU0) / HAZARD_NOC_AGENTS,
                 requests[index < HAZARD_READ ? index : HAZARD_READ]);
    }
}

static struct bh_hazard_side side_of(const struct hazard_search *search, const struct hazard_access *access) {
    if (access->source == HAZARD_NOBODY)
        return (struct bh_hazard_side){ .agent = "nobody", .core = -1, .writes = true };
    struct bh_hazard_side side = {
        .tile = hazard_tile_of(search, access->epoch.tile)->xy,
        .core =
            access->source < BH_CORE_COUNT ? access->source : (int)(access->source - HAZARD_SOURCE_THREAD) + BH_TRISC0,
        .writes = writes(access),
        .pc = access->pc,
        .word = access->word,
        .tensix = access->epoch.agent >= HAZARD_THREAD && access->epoch.agent < HAZARD_COMMAND,
        .cycle = access->cycle,
    };
    if (access->epoch.agent >= HAZARD_NIU0 && access->source >= BH_CORE_COUNT)
        side.core = -1;
    name_agent(side.agent, sizeof side.agent, access->epoch.agent);
    return side;
}

/* Returns the name of the field of Config, or of ThreadConfig, that contains a bit. */
static const char *config_name(bool thread, unsigned word, unsigned bit) {
    for (unsigned i = 0; i < CONFIG_FIELD_COUNT; i++) {
        const struct config_field *field = &config_fields[i];
        unsigned at = (word - field->word) * 32 + bit - field->shift;
        if (field->thread == thread && word >= field->word && at < field->width)
            return field->name;
    }
    return "unnamed bits";
}

static void name_place(char *text, size_t size, const struct hazard_tile *t, enum hazard_memory memory,
                       uint32_t address) {
    unsigned index = address / SHADOW_WORD, word = index / 32 % HAZARD_CONFIG_WORDS;
    switch (memory) {
    case HAZARD_L1: line_put(text, size, "%s 0x%08x", t->is_dram ? "DRAM" : "L1", address); break;
    case HAZARD_GPR: line_put(text, size, "GPR %u of T%u", index % HAZARD_GPRS, index / HAZARD_GPRS); break;
    case HAZARD_DST: line_put(text, size, "Dst row %u", index); break;
    case HAZARD_SRC: line_put(text, size, "Src%c bank %u", index & 2 ? 'B' : 'A', index & 1); break;
    case HAZARD_LREG:
        if (index == HAZARD_LANE_FLAGS)
            line_put(text, size, "lane flags");
        else
            line_put(text, size, "LReg %u", index);
        break;
    case HAZARD_MOP_REGISTERS: line_put(text, size, "MOP registers of T%u", address / SHADOW_LINE); break;
    case HAZARD_SEMAPHORE: line_put(text, size, "semaphore %u", index); break;
    case HAZARD_REPLAY:
        line_put(text, size, "replay slot %u of T%u", index % HAZARD_SLOTS, index / HAZARD_SLOTS);
        break;
    case HAZARD_AT_END: line_put(text, size, "the end of the program"); break;
    case HAZARD_CB_SHARED:
    case HAZARD_CB_COUNT:
    case HAZARD_CB_PAGE:
    case HAZARD_CB_OVERLAP: hazard_name_buffer(t, index, text, size); break;
    case HAZARD_COMMANDS:
        line_put(text, size, "command buffer %u of NoC %u", index % HAZARD_COMMAND_BUFFERS,
                 index / HAZARD_COMMAND_BUFFERS);
        break;
    case HAZARD_THREAD_CONFIG:
        word = index / 16 % CONFIG_THREAD_WORDS;
        line_put(text, size, "ThreadConfig[%u] %s of T%u", word, config_name(true, word, index % 16),
                 index / 16 / CONFIG_THREAD_WORDS);
        break;
    default:
        line_put(text, size, "Config[%u][%u] %s", index / 32 / HAZARD_CONFIG_WORDS, word,
                 config_name(false, word, index % 32));
        break;
    }
}

static enum bh_hazard_memory public_memory(const struct hazard_tile *t, enum hazard_memory memory) {
    static const uint8_t memories[] = {
        [HAZARD_L1] = BH_HAZARD_IN_L1,
        [HAZARD_GPR] = BH_HAZARD_IN_GPRS,
        [HAZARD_CONFIG_BANKS] = BH_HAZARD_IN_CONFIG,
        [HAZARD_DST] = BH_HAZARD_IN_DST,
        [HAZARD_SRC] = BH_HAZARD_IN_SRC,
        [HAZARD_MOP_REGISTERS] = BH_HAZARD_IN_MOP,
        [HAZARD_LREG] = BH_HAZARD_IN_LREGS,
        [HAZARD_SEMAPHORE] = BH_HAZARD_IN_SEMAPHORES,
        [HAZARD_REPLAY] = BH_HAZARD_IN_REPLAY,
        [HAZARD_AT_END] = BH_HAZARD_IN_NOTHING,
        [HAZARD_CB_SHARED] = BH_HAZARD_IN_BUFFERS,
        [HAZARD_CB_COUNT] = BH_HAZARD_IN_BUFFERS,
        [HAZARD_CB_PAGE] = BH_HAZARD_IN_BUFFERS,
        [HAZARD_CB_OVERLAP] = BH_HAZARD_IN_BUFFERS,
        [HAZARD_COMMANDS] = BH_HAZARD_IN_COMMANDS,
        [HAZARD_THREAD_CONFIG] = BH_HAZARD_IN_THREAD_CONFIG,
    };
    return t->is_dram ? BH_HAZARD_IN_DRAM : (enum bh_hazard_memory)memories[memory];
}

/* All words that an expander makes of one instruction are one side. */
static bool is_same_side(const struct bh_hazard_side *a, const struct bh_hazard_side *b) {
    return a->pc == b->pc && a->core == b->core && a->writes == b->writes && !strcmp(a->agent, b->agent);
}

/* Two writes that differ in some bits of a word and agree in others are one cause: a BENIGN verdict does not make a new
 * one. */
bool hazard_is_same(const struct bh_hazard *a, const struct bh_hazard *b) {
    bool benign = a->verdict == BH_VERDICT_BENIGN || b->verdict == BH_VERDICT_BENIGN;
    return a->kind == b->kind && (benign || a->verdict == b->verdict) && is_same_side(&a->first, &b->first) &&
           is_same_side(&a->second, &b->second);
}

/* Returns the hazard with this cause, on whichever tile it was found; NULL if it is new. */
static struct bh_hazard *find(const struct hazard_search *search, const struct bh_hazard *hazard) {
    for (uint32_t i = 0; i < search->count; i++)
        if (hazard_is_same(&search->found[i], hazard))
            return &search->found[i];
    return NULL;
}

/* At the end of a program: returns whether another hazard has already reported this request. In L1: returns whether a
 * page that was given back too early has been reported for this access. */
static bool is_known_first(const struct hazard_search *search, enum hazard_memory memory,
                           const struct bh_hazard_side *side) {
    for (uint32_t i = 0; i < search->count; i++) {
        bool comes_first = memory == HAZARD_AT_END ? search->found[i].kind != BH_HAZARD_AT_END
                                                   : search->found[i].kind == BH_HAZARD_CB_PAGE;
        if (comes_first && is_same_side(&search->found[i].first, side))
            return true;
    }
    return false;
}

struct bh_hazard hazard_of(const struct hazard_tile *t, enum hazard_memory memory, uint32_t address,
                           const struct hazard_access *first, const struct hazard_access *second) {
    enum bh_verdict verdict = verdict_of(first, second);
    if (verdict == BH_VERDICT_RACE && memory != HAZARD_AT_END && !second->stale &&
        first->cycle < t->search->passed_on_until)
        verdict = BH_VERDICT_UNCERTAIN; /* see hazard_frame_arrived */
    struct bh_hazard hazard = {
        .kind = kind_of(memory, first, second),
        .first = side_of(t->search, first),
        .second = side_of(t->search, second),
        .tile = t->xy,
        .verdict = verdict,
        .count = 1,
        .memory = public_memory(t, memory),
        .address = memory == HAZARD_L1              ? address
                   : memory == HAZARD_MOP_REGISTERS ? address / SHADOW_LINE
                                                    : address / SHADOW_WORD,
    };
    name_place(hazard.place, sizeof hazard.place, t, memory, address);
    return hazard;
}

void hazard_found(struct hazard_search *search, struct hazard_tile *t, enum hazard_memory memory, uint32_t address,
                  const struct hazard_access *first, const struct hazard_access *second) {
    struct bh_hazard hazard = hazard_of(t, memory, address, first, second);
    if ((memory == HAZARD_AT_END || memory == HAZARD_L1) && is_known_first(search, memory, &hazard.first))
        return;
    struct bh_hazard *known = find(search, &hazard);
    if (!known && memory == HAZARD_L1 && !t->is_dram)
        hazard_name_buffers(t, address, hazard.buffer, sizeof hazard.buffer);
    if (known && (known->verdict != BH_VERDICT_BENIGN || hazard.verdict == BH_VERDICT_BENIGN)) {
        known->count += !second->retried;
        return;
    }
    if (known) { /* known as BENIGN, but other bits differ */
        hazard.count += known->count;
        *known = hazard;
        return;
    }
    struct bh_hazard *list =
        search->count < MOST ? list_room(search->found, search->count, &search->room, sizeof *list) : NULL;
    if (!list) {
        hazard_no_memory(search);
        return;
    }
    search->found = list;
    list[search->count++] = hazard;
}

size_t hazard_search_count(const struct hazard_search *search) {
    return (size_t)search->count + search->aside_count;
}

const struct bh_hazard *hazard_search_at(const struct hazard_search *search, size_t index) {
    if (index >= hazard_search_count(search))
        return NULL;
    return index < search->count ? &search->found[index] : &search->aside[index - search->count].hazard;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *text, *remedy;
} kinds[] = {
#define BH_HAZARD(name, text, remedy) { #name, text, remedy },
#include "bhemu_hazard.def"
};

static const char *const verdicts[] = {
#define BH_VERDICT(name, text) #name,
#include "bhemu_hazard.def"
};

const char *bh_hazard_kind_name(enum bh_hazard_kind kind) {
    return (unsigned)kind < BH_HAZARD_KIND_COUNT ? kinds[kind].name : "";
}

const char *bh_hazard_kind_text(enum bh_hazard_kind kind) {
    return (unsigned)kind < BH_HAZARD_KIND_COUNT ? kinds[kind].text : "";
}

const char *bh_hazard_remedy(enum bh_hazard_kind kind) {
    return (unsigned)kind < BH_HAZARD_KIND_COUNT ? kinds[kind].remedy : "";
}

const char *bh_hazard_memory_name(enum bh_hazard_memory memory) {
    static const char *const names[BH_HAZARD_MEMORY_COUNT] = {
        [BH_HAZARD_IN_NOTHING] = "",
        [BH_HAZARD_IN_L1] = "L1",
        [BH_HAZARD_IN_DRAM] = "DRAM",
        [BH_HAZARD_IN_GPRS] = "GPRs",
        [BH_HAZARD_IN_CONFIG] = "Config",
        [BH_HAZARD_IN_DST] = "Dst",
        [BH_HAZARD_IN_SRC] = "Src",
        [BH_HAZARD_IN_MOP] = "MOP",
        [BH_HAZARD_IN_REPLAY] = "replay",
        [BH_HAZARD_IN_SEMAPHORES] = "semaphores",
        [BH_HAZARD_IN_BUFFERS] = "circular buffers",
        [BH_HAZARD_IN_LREGS] = "LRegs",
        [BH_HAZARD_IN_COMMANDS] = "command buffers",
        [BH_HAZARD_IN_THREAD_CONFIG] = "ThreadConfig",
    };
    return (unsigned)memory < BH_HAZARD_MEMORY_COUNT ? names[memory] : "";
}

const char *bh_verdict_name(enum bh_verdict verdict) {
    return (unsigned)verdict < BH_VERDICT_COUNT ? verdicts[verdict] : "";
}
