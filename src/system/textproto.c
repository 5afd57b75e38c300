/* The text form of protocol buffers: see textproto.h. */
#include "system/textproto.h"

#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/list.h"

enum { DEPTH_MAX = 32, NODES_MAX = 1 << 20 };

struct parser {
    struct textproto *proto;
    const char *at, *end;
    char *string; /* where the next string goes */
    unsigned line, depth;
};

static bool fail(struct parser *p, unsigned line, const char *what) {
    if (!p->proto->error[0])
        line_put(p->proto->error, sizeof p->proto->error, "line %u: %s", line, what);
    return false;
}

static uint32_t new_node(struct parser *p, enum proto_kind kind) {
    struct textproto *proto = p->proto;
    bool full = proto->count == NODES_MAX;
    struct proto_node *list = full ? NULL : list_room(proto->node, proto->count, &proto->room, sizeof *list);
    if (!list) {
        (void)fail(p, p->line, "the text is too long");
        return 0;
    }
    proto->node = list;
    list[proto->count] = (struct proto_node){ .kind = (uint8_t)kind, .line = p->line };
    return proto->count++;
}

/* ---- Characters -------------------------------------------------------------------------------------------------- */

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_part(char c) {
    return is_letter(c) || is_digit(c);
}

/* Goes to the next character that is neither space nor comment. */
static void skip(struct parser *p) {
    for (; p->at < p->end && (is_space(*p->at) || *p->at == '#'); p->at++) {
        if (*p->at == '#')
            while (p->at + 1 < p->end && p->at[1] != '\n')
                p->at++;
        p->line += *p->at == '\n';
    }
}

static char peek(struct parser *p) {
    skip(p);
    return p->at < p->end ? *p->at : '\0';
}

static bool take(struct parser *p, char c) {
    if (peek(p) != c || p->at == p->end)
        return false;
    p->at++;
    return true;
}

static size_t take_part(struct parser *p) {
    const char *start = p->at;
    while (p->at < p->end && is_part(*p->at))
        p->at++;
    return (size_t)(p->at - start);
}

/* ---- Scalars ----------------------------------------------------------------------------------------------------- */

static int digit_of(char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Reads at most `most` digits of a number with this base. Returns how many there were. */
static unsigned take_digits(struct parser *p, int base, unsigned most, unsigned *value) {
    unsigned count = 0;
    for (*value = 0; count < most && p->at < p->end && digit_of(*p->at) < base; count++)
        *value = *value * (unsigned)base + (unsigned)digit_of(*p->at++);
    return count;
}

/* Reads what stands behind a backslash, and appends the character. */
static bool take_escape(struct parser *p) {
    static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
    unsigned value = 0;
    const char *name = p->at < p->end && *p->at ? strchr(names, *p->at) : NULL;
    if (name) {
        *p->string++ = values[name - names];
        p->at++;
        return true;
    }
    bool hex = p->at < p->end && (*p->at | 32) == 'x';
    p->at += hex;
    if (!(hex ? take_digits(p, 16, 2, &value) : take_digits(p, 8, 3, &value)))
        return fail(p, p->line, "nothing that can be meant stands behind a backslash");
    *p->string++ = (char)value;
    return true;
}

/* Reads a string, and those that follow it: they are one. */
static bool take_string(struct parser *p, struct proto_node *node) {
    node->word = p->string;
    for (char quote = peek(p); quote == '"' || quote == '\''; quote = peek(p)) {
        for (p->at++; p->at < p->end && *p->at != quote && *p->at != '\n';) {
            if (*p->at != '\\')
                *p->string++ = *p->at++;
            else if (p->at++, !take_escape(p))
                return false;
        }
        if (p->at == p->end || *p->at != quote)
            return fail(p, p->line, "a quote is not closed");
        p->at++;
    }
    node->size = (size_t)(p->string - node->word);
    return true;
}

static bool take_number(struct parser *p, struct proto_node *node) {
    bool minus = take(p, '-');
    uint64_t value = 0;
    (void)peek(p);
    bool zero = p->at < p->end && *p->at == '0', hex = zero && p->end - p->at > 1 && (p->at[1] | 32) == 'x';
    const int base = hex ? 16 : zero ? 8 : 10;
    p->at += hex ? 2 : 0;
    const char *start = p->at;
    for (; p->at < p->end && digit_of(*p->at) < base; p->at++) {
        value = value * (unsigned)base + (unsigned)digit_of(*p->at);
        if (value > INT64_MAX / 16)
            return fail(p, p->line, "the number is too large");
    }
    if (p->at < p->end && (*p->at == '.' || (!hex && (*p->at | 32) == 'e')))
        return fail(p, p->line, "a number without a fraction was expected");
    if (p->at == start || (p->at < p->end && is_part(*p->at)))
        return fail(p, p->line, "this is not a number");
    node->number = minus ? -(int64_t)value : (int64_t)value;
    return true;
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static bool take_fields(struct parser *p, uint32_t message, char close);

static uint32_t take_message(struct parser *p, char open) {
    uint32_t node = new_node(p, PROTO_MESSAGE);
    unsigned line = p->line;
    p->at++;
    if (++p->depth > DEPTH_MAX)
        return fail(p, line, "nested too deeply");
    if (!node || !take_fields(p, node, open == '{' ? '}' : '>'))
        return 0;
    if (p->at == p->end)
        return fail(p, line, "the brace of this line is not closed");
    p->at++;
    p->depth--;
    return node;
}

/* Reads a value that is not a list. Returns 0 with an error. */
static uint32_t take_value(struct parser *p, bool colon) {
    char c = peek(p);
    if (c == '{' || c == '<')
        return take_message(p, c);
    if (!colon)
        return fail(p, p->line, "a colon or a brace was expected behind the name of a field");
    bool string = c == '"' || c == '\'', word = is_letter(c);
    if (!string && !word && !is_digit(c) && c != '-')
        return fail(p, p->line, "a value was expected");
    uint32_t node = new_node(p, string ? PROTO_STRING : word ? PROTO_WORD : PROTO_NUMBER);
    if (!node)
        return 0;
    struct proto_node value = p->proto->node[node];
    value.word = p->at;
    if (word)
        value.size = take_part(p);
    else if (string ? !take_string(p, &value) : !take_number(p, &value))
        return 0;
    p->proto->node[node] = value;
    return node;
}

/* Appends a value to its message. */
static bool append(struct parser *p, uint32_t message, uint32_t *last, const char *name, size_t name_size,
                   uint32_t value) {
    if (!value)
        return false;
    struct proto_node *node = p->proto->node;
    node[value].name = name;
    node[value].name_size = name_size;
    *(*last ? &node[*last].next : &node[message].first) = value;
    *last = value;
    return true;
}

static bool take_list(struct parser *p, uint32_t message, uint32_t *last, const char *name, size_t name_size) {
    unsigned line = p->line;
    p->at++;
    if (take(p, ']'))
        return true;
    do {
        if (!append(p, message, last, name, name_size, take_value(p, true)))
            return false;
    } while (take(p, ','));
    if (take(p, ']'))
        return true;
    return p->at == p->end ? fail(p, line, "the bracket of this line is not closed")
                           : fail(p, p->line, "a comma or a closing bracket is missing");
}

static bool take_fields(struct parser *p, uint32_t message, char close) {
    uint32_t last = 0;
    for (char c = peek(p); p->at < p->end && c != close; c = peek(p)) {
        const char *name = p->at;
        if (!is_letter(c))
            return fail(p, p->line,
                        c == '}' || c == '>' ? "nothing is open that could be closed here"
                                             : "the name of a field was expected");
        size_t size = take_part(p);
        bool colon = take(p, ':');
        if (peek(p) == '[' ? !take_list(p, message, &last, name, size)
                           : !append(p, message, &last, name, size, take_value(p, colon)))
            return false;
        if (!take(p, ','))
            (void)take(p, ';');
    }
    return true;
}

uint32_t textproto_parse(struct textproto *proto, const char *text, size_t size) {
    *proto = (struct textproto){ .strings = malloc(size + 1) };
    struct parser p = { .proto = proto, .at = text, .end = text + size, .string = proto->strings, .line = 1 };
    if (!proto->strings)
        return fail(&p, 1, "the text is too long");
    (void)new_node(&p, PROTO_WORD); /* number 0 is no node */
    uint32_t root = new_node(&p, PROTO_MESSAGE);
    if (!root || !take_fields(&p, root, '\0'))
        return 0;
    return p.at == p.end ? root : (uint32_t)fail(&p, p.line, "the name of a field was expected");
}

void textproto_free(struct textproto *proto) {
    free(proto->node);
    free(proto->strings);
    proto->node = NULL;
    proto->strings = NULL;
}

/* ---- Questions --------------------------------------------------------------------------------------------------- */

const char *textproto_first(const char *text, size_t size, size_t *length, bool *opens) {
    struct parser p = { .at = text, .end = text + size };
    (void)peek(&p);
    const char *word = p.at;
    *length = take_part(&p);
    char c = peek(&p);
    *opens = *length && (c == '{' || c == '<');
    return word;
}

static bool is_text(const char *at, size_t size, const char *text) {
    return at && size == strlen(text) && memcmp(at, text, size) == 0;
}

bool proto_same_name(const struct proto_node *a, const struct proto_node *b) {
    return a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
}

bool proto_name_is(const struct proto_node *node, const char *name) {
    return is_text(node->name, node->name_size, name);
}

bool proto_word_is(const struct proto_node *node, const char *word) {
    return is_text(node->word, node->size, word);
}
