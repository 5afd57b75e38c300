/* Delays as text: KIND@TILE[.AGENT]#NUMBER=CYCLES, and for packets KIND@TILE-TILE#NUMBER=CYCLES. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu.h"

enum agent { AGENT_CORE, AGENT_THREAD, AGENT_UNPACKER, AGENT_NOC, AGENT_ONE, AGENT_PACKET };

static const struct kind {
    const char *word, *text, *source;
    uint32_t most;
    enum agent agent;
} kinds[BH_DELAY_KIND_COUNT] = {
#define BH_DELAY(name, word, agent, most, text, source) [BH_DELAY_##name] = { word, text, source, most, AGENT_##agent },
#include "bhemu_delay.def"
};

static const struct kind *kind_of(enum bh_delay_kind kind) {
    static const struct kind none = { "", "", "", 0, AGENT_ONE };
    return (unsigned)kind < BH_DELAY_KIND_COUNT ? &kinds[kind] : &none;
}

const char *bh_delay_kind_name(enum bh_delay_kind kind) {
    return kind_of(kind)->word;
}

const char *bh_delay_kind_text(enum bh_delay_kind kind) {
    return kind_of(kind)->text;
}

const char *bh_delay_kind_source(enum bh_delay_kind kind) {
    return kind_of(kind)->source;
}

uint32_t bh_delay_kind_most(enum bh_delay_kind kind) {
    return kind_of(kind)->most;
}

/* ---- Writing --------------------------------------------------------------------------------------------- */

static void put_agent(const struct bh_delay *delay, char *text, size_t size) {
    text[0] = '\0';
    switch (kind_of(delay->kind)->agent) {
    case AGENT_CORE: snprintf(text, size, ".%s", bh_core_name((enum bh_core)delay->agent)); break;
    case AGENT_THREAD: snprintf(text, size, ".T%u", delay->agent); break;
    case AGENT_UNPACKER: snprintf(text, size, ".%u", delay->agent); break;
    case AGENT_NOC: snprintf(text, size, ".noc%u", delay->agent); break;
    case AGENT_PACKET: snprintf(text, size, "-%u,%u", delay->to.x, delay->to.y); break;
    case AGENT_ONE: break;
    }
}

size_t bh_delay_text(const struct bh_delay *delay, char *text, size_t size) {
    char agent[24];
    if (!delay)
        return 0;
    put_agent(delay, agent, sizeof agent);
    return (size_t)snprintf(text, text ? size : 0, "%s@%u,%u%s#%llu=%u", bh_delay_kind_name(delay->kind), delay->tile.x,
                            delay->tile.y, agent, (unsigned long long)delay->number, delay->cycles);
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

/* Parses a number. Returns the text after the number; NULL if there is no number or it is greater than `most`. */
static const char *get_number(const char *text, uint64_t most, uint64_t *value) {
    if (!text || *text < '0' || *text > '9')
        return NULL;
    for (*value = 0; *text >= '0' && *text <= '9'; text++) {
        if (*value > (UINT64_MAX - 9) / 10)
            return NULL;
        *value = *value * 10 + (unsigned)(*text - '0');
    }
    return *value <= most ? text : NULL;
}

/* Returns the text after this word; NULL if the text does not begin with the word. */
static const char *get_word(const char *text, const char *word) {
    size_t length = strlen(word);
    return text && strncmp(text, word, length) == 0 ? text + length : NULL;
}

static const char *get_tile(const char *text, struct bh_xy *tile) {
    uint64_t x = 0, y = 0;
    text = get_number(get_word(get_number(text, UINT8_MAX, &x), ","), UINT8_MAX, &y);
    *tile = (struct bh_xy){ (uint8_t)x, (uint8_t)y };
    return text;
}

static const char *get_core(const char *text, uint8_t *agent) {
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        const char *rest = get_word(text, bh_core_name((enum bh_core)core));
        *agent = (uint8_t)core;
        if (rest)
            return rest;
    }
    return NULL;
}

static const char *get_numbered(const char *text, const char *word, uint64_t most, uint8_t *agent) {
    uint64_t number = 0;
    text = get_number(get_word(text, word), most, &number);
    *agent = (uint8_t)number;
    return text;
}

static const char *get_agent(const char *text, struct bh_delay *delay) {
    switch (kind_of(delay->kind)->agent) {
    case AGENT_CORE: return get_core(get_word(text, "."), &delay->agent);
    case AGENT_THREAD: return get_numbered(text, ".T", BH_THREADS - 1, &delay->agent);
    case AGENT_UNPACKER: return get_numbered(text, ".", 1, &delay->agent);
    case AGENT_NOC: return get_numbered(text, ".noc", 1, &delay->agent);
    case AGENT_PACKET: return get_tile(get_word(text, "-"), &delay->to);
    case AGENT_ONE: break;
    }
    return text;
}

static const char *get_kind(const char *text, enum bh_delay_kind *kind) {
    for (unsigned i = 0; i < BH_DELAY_KIND_COUNT; i++) {
        const char *rest = get_word(get_word(text, kinds[i].word), "@");
        *kind = (enum bh_delay_kind)i;
        if (rest)
            return rest;
    }
    return NULL;
}

const char *bh_delay_parse(const char *text, struct bh_delay *delay) {
    uint64_t number = 0, cycles = 0;
    if (!text || !delay)
        return NULL;
    *delay = (struct bh_delay){ .core = -1 };
    text = get_agent(get_tile(get_kind(text, &delay->kind), &delay->tile), delay);
    text = get_number(get_word(text, "#"), UINT64_MAX >> 8, &number);
    text = get_number(get_word(text, "="), bh_delay_kind_most(delay->kind), &cycles);
    delay->number = number;
    delay->cycles = (uint32_t)cycles;
    return text && (*text == '\0' || *text == '+') ? text : NULL;
}
