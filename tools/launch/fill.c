/* Contents of buffers in launch files: parses their descriptions, and makes the bytes (fill_bytes). See launch.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/file.h"
#include "launch/launch.h"

static const char *const type_names[FILL_TYPE_COUNT] = { "u8", "u16", "u32", "bf16", "f32" };
static const unsigned type_sizes[FILL_TYPE_COUNT] = { 1, 2, 4, 2, 4 };

static bool take_type(struct span word, enum fill_type *type) {
    for (unsigned i = 0; i < FILL_TYPE_COUNT; i++) {
        if (span_is(word, type_names[i])) {
            *type = (enum fill_type)i;
            return true;
        }
    }
    return false;
}

/* Takes a decimal number with an optional point and exponent. */
static bool take_real(struct ini *ini, struct span *rest, double *value) {
    char text[64], *end;
    struct span word;
    uint64_t whole;
    if (!span_word(rest, &word))
        return ini_error(ini, "a number is missing at the end of the line");
    if (span_number(word, UINT32_MAX, &whole)) {
        *value = (double)whole;
        return true;
    }
    if (word.n < sizeof text) {
        memcpy(text, word.p, word.n);
        text[word.n] = 0;
        *value = strtod(text, &end);
        if (end == text + word.n && strspn(text, "+-.0123456789eE") == word.n && *value - *value == 0)
            return true;
    }
    return ini_error(ini, "'%.*s' is not a number", SPAN(word));
}

static bool line_ends(struct ini *ini, struct span rest) {
    struct span word;
    return !span_word(&rest, &word) || ini_error(ini, "unexpected '%.*s'", SPAN(word));
}

static bool take_words(struct ini *ini, struct span rest, struct fill *fill) {
    struct span word;
    uint64_t value;
    while (span_word(&rest, &word)) {
        if (!span_number(word, UINT32_MAX, &value))
            return ini_error(ini, "'%.*s' is not a 32-bit number", SPAN(word));
        if (fill->word_count == FILL_WORDS_MAX)
            return ini_error(ini, "more than %d words; put them into a file", FILL_WORDS_MAX);
        fill->words[fill->word_count++] = (uint32_t)value;
    }
    return fill->word_count || ini_error(ini, "a word is missing at the end of the line");
}

/* Parses "TYPE SEED", after the word random. */
static bool take_random(struct ini *ini, struct span rest, struct fill *fill) {
    struct span word = { "", 0 };
    if (!span_word(&rest, &word) || !take_type(word, &fill->type))
        return ini_error(ini, "random numbers are u8, u16, u32, bf16 or f32, not '%.*s'", SPAN(word));
    if (!span_word(&rest, &word) || !span_number(word, UINT64_MAX, &fill->seed))
        return ini_error(ini, "random numbers need a seed: 'random %s 1'", type_names[fill->type]);
    return line_ends(ini, rest);
}

/* Parses "START STEP", after the type. */
static bool take_ramp(struct ini *ini, struct span rest, struct fill *fill) {
    return take_real(ini, &rest, &fill->start) && take_real(ini, &rest, &fill->step) && line_ends(ini, rest);
}

bool parse_fill(struct ini *ini, struct span value, struct fill *fill) {
    struct span word = { "", 0 };
    *fill = (struct fill){ .line = ini->line };
    span_word(&value, &word);
    value = span_trim(value);
    if (span_is(word, "zero")) {
        fill->kind = FILL_ZERO;
        return line_ends(ini, value);
    }
    if (span_is(word, "file")) {
        fill->kind = FILL_FILE;
        fill->file = value;
        return value.n || ini_error(ini, "the name of the file is missing at the end of the line");
    }
    if (span_is(word, "words")) {
        fill->kind = FILL_WORDS;
        return take_words(ini, value, fill);
    }
    if (span_is(word, "random")) {
        fill->kind = FILL_RANDOM;
        return take_random(ini, value, fill);
    }
    fill->kind = FILL_RAMP;
    if (take_type(word, &fill->type))
        return take_ramp(ini, value, fill);
    return ini_error(ini, "contents are zero, file FILE, words W..., TYPE START STEP or random TYPE SEED, not '%.*s'",
                     SPAN(word));
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static uint32_t float_bits(double value) {
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Rounds to the nearest bf16, ties to even. */
static uint32_t bf16_bits(double value) {
    uint32_t bits = float_bits(value);
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

static uint32_t as_type(enum fill_type type, double value) {
    switch (type) {
    case FILL_BF16: return bf16_bits(value);
    case FILL_F32: return float_bits(value);
    default: return value > -9e18 && value < 9e18 ? (uint32_t)(int64_t)value : 0;
    }
}

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Returns a random item; floats lie between 0 and 1. */
static uint32_t random_item(enum fill_type type, uint64_t *state) {
    uint64_t r = next_random(state);
    if (type == FILL_BF16 || type == FILL_F32)
        return as_type(type, (double)(r >> 40) / (1 << 24));
    return (uint32_t)r;
}

/* Bytes that items may be longer than the buffer. */
enum { SURPLUS = sizeof(uint32_t) };

static void make_bytes(const struct fill *fill, uint8_t *bytes, size_t size) {
    unsigned width = fill->kind == FILL_WORDS ? 4 : type_sizes[fill->type];
    uint64_t state = fill->seed;
    for (size_t i = 0, word = 0; i * width < size; i++, word = word + 1 < fill->word_count ? word + 1 : 0) {
        uint32_t value = fill->kind == FILL_WORDS    ? fill->words[word]
                         : fill->kind == FILL_RANDOM ? random_item(fill->type, &state)
                                                     : as_type(fill->type, fill->start + (double)i * fill->step);
        put_word(bytes + i * width, value); /* the next item replaces the surplus */
    }
}

uint8_t *fill_bytes(const struct fill *fill, size_t one, size_t all, char *message, size_t message_size) {
    size_t size;
    uint8_t *bytes;
    if (fill->kind != FILL_FILE) {
        bytes = calloc(1, all + SURPLUS);
        if (!bytes)
            snprintf(message, message_size, "out of memory");
        else if (fill->kind != FILL_ZERO)
            make_bytes(fill, bytes, all);
        return bytes;
    }
    bytes = file_read(fill->file, &size, message, message_size);
    if (bytes && size != one && size != all) {
        snprintf(message, message_size, "'%.*s' has %zu bytes, the buffer %zu", SPAN(fill->file), size, all);
        free(bytes);
        return NULL;
    }
    uint8_t *larger = bytes && size < all ? realloc(bytes, all) : bytes;
    if (bytes && !larger) {
        snprintf(message, message_size, "out of memory");
        free(bytes);
    }
    for (size_t at = size; larger && at < all; at += one)
        memcpy(larger + at, larger, one);
    return larger;
}
