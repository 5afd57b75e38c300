/* The text form of sessions: see session.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu.h"
#include "session.h"

const struct session_verb_row session_verbs[VERB_COUNT] = {
#define PLACE                          "chip", "x", "y"
#define ARGS(...)                      __VA_ARGS__
#define VERB(name, watches, arguments) { #name, watches, { arguments } },
#include "session.def"
};

static const char *const check_names[] = { "again", "threads", "observed", "cut", "debugged" };

enum { CHECKS = sizeof check_names / sizeof check_names[0] };

static int place_of(enum session_verb verb, const char *name, size_t length) {
    const char *const *argument = session_verbs[verb].argument;
    for (int i = 0; i < SESSION_ARGUMENTS && argument[i]; i++)
        if (strlen(argument[i]) == length && memcmp(argument[i], name, length) == 0)
            return i;
    return -1;
}

uint64_t session_get(const struct session_call *call, const char *name) {
    int place = place_of(call->verb, name, strlen(name));
    if (place < 0) {
        fprintf(stderr, "fuzz session: %s has no argument %s\n", session_verbs[call->verb].name, name);
        abort();
    }
    return call->argument[place];
}

void session_free(struct session *session) {
    for (unsigned i = 0; i < session->count; i++)
        free(session->call[i].data);
    session->count = 0;
}

/* ---- Reading -------------------------------------------------------------------------------------------------- */

/* One line, cut into words by zeros. */
struct line {
    char text[16 * SESSION_WORDS];
    char *next;
};

static char *next_word(struct line *line) {
    char *word = line->next + strspn(line->next, " \t\r");
    if (*word == '\0' || *word == '#')
        return NULL;
    line->next = word + strcspn(word, " \t\r");
    if (*line->next)
        *line->next++ = '\0';
    return word;
}

static bool find_verb(const char *name, enum session_verb *verb) {
    for (unsigned i = 0; i < VERB_COUNT; i++)
        if (strcmp(session_verbs[i].name, name) == 0) {
            *verb = (enum session_verb)i;
            return true;
        }
    return false;
}

/* The first word stands behind the name of the argument, the others follow. */
static bool read_data(struct session_call *call, struct line *line, char *word) {
    free(call->data);
    call->words = 0;
    if (!(call->data = malloc(SESSION_WORDS * sizeof *call->data)))
        exit(3);
    for (; word && call->words < SESSION_WORDS; word = next_word(line)) {
        char *end;
        call->data[call->words++] = (uint32_t)strtoul(word, &end, 16);
        if (*end)
            return false;
    }
    return !word;
}

static bool read_argument(struct session_call *call, struct line *line, char *word) {
    char *value = strchr(word, '='), *end;
    if (!value)
        return false;
    if (strncmp(word, "data=", 5) == 0)
        return read_data(call, line, word + 5);
    int place = place_of(call->verb, word, (size_t)(value - word));
    if (place < 0)
        return false;
    call->argument[place] = strtoull(value + 1, &end, 0);
    return *end == '\0';
}

static bool read_call(struct session *session, struct line *line, const char *verb) {
    struct session_call call = { .verb = VERB_COUNT };
    bool good = session->count < SESSION_CALLS && find_verb(verb, &call.verb);
    for (char *word; good && (word = next_word(line));)
        good = read_argument(&call, line, word);
    if (good)
        session->call[session->count++] = call;
    else
        free(call.data);
    return good;
}

static bool read_checks(struct session *session, struct line *line) {
    for (char *word; (word = next_word(line));) {
        unsigned i = 0;
        while (i < CHECKS && strcmp(word, check_names[i]) != 0)
            i++;
        if (i == CHECKS)
            return false;
        session->checks |= 1u << i;
    }
    return true;
}

static bool read_line(struct session *session, struct line *line) {
    line->next = line->text;
    const char *verb = next_word(line);
    if (!verb)
        return true;
    return strcmp(verb, "session") == 0 ? read_checks(session, line) : read_call(session, line, verb);
}

bool session_is_log(const char *text, size_t size) {
    return size >= 7 && (memcmp(text, "session", 7) == 0 || memcmp(text, "# a log", 7) == 0);
}

unsigned session_read(struct session *session, const char *text, size_t size) {
    static struct line line;
    unsigned bad = 0;
    session->count = session->checks = 0;
    for (size_t length; size; text += length, size -= length) {
        const char *end = memchr(text, '\n', size);
        length = end ? (size_t)(end - text) + 1 : size;
        size_t kept = length < sizeof line.text ? length : sizeof line.text - 1;
        memcpy(line.text, text, kept);
        line.text[kept] = '\0';
        line.text[strcspn(line.text, "\n")] = '\0';
        bad += !read_line(session, &line);
    }
    return bad;
}

/* ---- Writing -------------------------------------------------------------------------------------------------- */

struct text {
    char *at;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...) {
    size_t left = text->length < text->size ? text->size - text->length : 0;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(left ? text->at + text->length : NULL, left, format, args);
    va_end(args);
    text->length += length > 0 ? (size_t)length : 0;
}

/* Numbers above a thousand, and masks, are easier to read in hexadecimal. */
static void put_argument(struct text *text, const char *name, uint64_t value) {
    bool decimal = value < 1000 || strcmp(name, "cycles") == 0;
    put(text, decimal ? " %s=%llu" : " %s=0x%llx", name, (unsigned long long)value);
}

static void put_call(struct text *text, const struct session_call *call) {
    const struct session_verb_row *row = &session_verbs[call->verb];
    put(text, "%s", row->name);
    for (unsigned i = 0; i < SESSION_ARGUMENTS && row->argument[i]; i++)
        if (call->argument[i] || i == 0)
            put_argument(text, row->argument[i], call->argument[i]);
    for (unsigned i = 0; i < call->words; i++)
        put(text, i ? " %08x" : " data=%08x", call->data[i]);
    put(text, "\n");
}

static void put_program(struct text *text, const struct session_call *call) {
    uint32_t pc = (uint32_t)session_get(call, "address");
    char line[200];
    for (unsigned i = 0; i < call->words; i++) {
        (void)bh_disassemble(pc + 4 * i, call->data[i], line, sizeof line);
        put(text, "#   %08x  %08x  %s\n", pc + 4 * i, call->data[i], line);
    }
}

size_t session_write(const struct session *session, bool explain, char *text, size_t size) {
    struct text out = { text, size, 0 };
    put(&out, "session");
    for (unsigned i = 0; i < CHECKS; i++)
        if (session->checks >> i & 1)
            put(&out, " %s", check_names[i]);
    put(&out, "\n");
    for (unsigned i = 0; i < session->count; i++) {
        const struct session_call *call = &session->call[i];
        put_call(&out, call);
        if (explain && (call->verb == VERB_load || call->verb == VERB_elf))
            put_program(&out, call);
    }
    return out.length;
}
