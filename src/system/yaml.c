/* A subset of YAML: see yaml.h. */
#include "system/yaml.h"

#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/list.h"

enum { DEPTH_MAX = 32, NODES_MAX = 1 << 20 };

/* A line of the text, without indentation and comment. Items of lists are parsed by moving `at` behind the dash. */
struct parser {
    struct yaml *yaml;
    const char *next, *end; /* the rest of the text */
    const char *at;         /* the rest of the line; NULL: the text is over */
    size_t size;
    unsigned line, indent, depth;
};

static uint32_t fail(struct parser *p, const char *what) {
    if (!p->yaml->error[0])
        line_put(p->yaml->error, sizeof p->yaml->error, "line %u: %s", p->line, what);
    return 0;
}

static bool failed(const struct parser *p) {
    return p->yaml->error[0] != '\0';
}

static uint32_t new_node(struct parser *p, enum yaml_kind kind) {
    struct yaml *yaml = p->yaml;
    bool full = yaml->count == NODES_MAX;
    struct yaml_node *list = full ? NULL : list_room(yaml->node, yaml->count, &yaml->room, sizeof *list);
    if (!list)
        return fail(p, "the text is too long");
    yaml->node = list;
    yaml->node[yaml->count] = (struct yaml_node){ .kind = (uint8_t)kind, .line = p->line };
    return yaml->count++;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Returns the length of a line without its comment: a # at its start or behind a space, outside of quotes. */
static size_t before_comment(const char *line, size_t size) {
    char quote = '\0';
    for (size_t i = 0; i < size; i++) {
        if (quote)
            quote = line[i] == quote ? '\0' : quote;
        else if (line[i] == '"' || line[i] == '\'')
            quote = line[i];
        else if (line[i] == '#' && (i == 0 || is_space(line[i - 1])))
            return i;
    }
    return size;
}

static void trim(struct parser *p) {
    while (p->size && is_space(p->at[p->size - 1]))
        p->size--;
}

/* Goes to the next line with something in it. */
static void next_line(struct parser *p) {
    for (p->at = NULL; p->next < p->end;) {
        const char *start = p->next, *stop = memchr(start, '\n', (size_t)(p->end - start));
        size_t size = stop ? (size_t)(stop - start) : (size_t)(p->end - start);
        p->next = stop ? stop + 1 : p->end;
        p->line++;
        p->indent = 0;
        size = before_comment(start, size);
        while (p->indent < size && start[p->indent] == ' ')
            p->indent++;
        p->at = start + p->indent;
        p->size = size - p->indent;
        trim(p);
        if (p->size && p->at[0] == '\t')
            fail(p, "indentation is made of spaces");
        if (p->size && !(p->size == 3 && memcmp(p->at, "---", 3) == 0))
            return;
        p->at = NULL;
    }
}

static void skip(struct parser *p, size_t count) {
    p->at += count;
    p->size -= count;
    p->indent += (unsigned)count;
    while (p->size && is_space(p->at[0])) {
        p->at++;
        p->size--;
        p->indent++;
    }
}

/* ---- Words, and what is in brackets --------------------------------------------------------------------------------
 */

static uint32_t parse_flow(struct parser *p);

/* Returns the length of a word that ends before one of these characters, or at the end of the line. A colon ends a key
 * only before a space or the end. */
static size_t word_length(const struct parser *p, const char *ends) {
    for (size_t i = 0; i < p->size; i++) {
        if (p->at[i] == ':' && strchr(ends, ':') && i + 1 < p->size && !is_space(p->at[i + 1]))
            continue;
        if (strchr(ends, p->at[i]))
            return i;
    }
    return p->size;
}

/* Takes a word, maybe in quotes. */
static bool take_word(struct parser *p, const char *ends, const char **word, size_t *size) {
    if (p->size && (p->at[0] == '"' || p->at[0] == '\'')) {
        const char *stop = memchr(p->at + 1, p->at[0], p->size - 1);
        if (!stop)
            return fail(p, "a quote is not closed");
        *word = p->at + 1;
        *size = (size_t)(stop - p->at) - 1;
        skip(p, *size + 2);
        return true;
    }
    size_t length = word_length(p, ends);
    *word = p->at;
    *size = length;
    while (*size && is_space(p->at[*size - 1]))
        --*size;
    skip(p, length);
    return true;
}

/* Goes to the next line if the rest of this one is empty, within brackets. */
static void continue_below(struct parser *p) {
    if (!p->size)
        next_line(p);
    if (!p->at) {
        p->at = p->end;
        p->size = 0;
    }
}

/* Parses the entries of a map or a list up to the closing bracket. */
static uint32_t parse_brackets(struct parser *p, enum yaml_kind kind, char close) {
    uint32_t node = new_node(p, kind), last = 0;
    unsigned line = p->line;
    skip(p, 1);
    for (continue_below(p); !failed(p) && p->size && p->at[0] != close; continue_below(p)) {
        const char *key = NULL;
        size_t key_size = 0;
        if (kind == YAML_MAP) {
            take_word(p, ":,}", &key, &key_size);
            if (!p->size || p->at[0] != ':')
                return fail(p, "a key without a value");
            skip(p, 1);
            continue_below(p);
        }
        uint32_t entry = parse_flow(p);
        if (failed(p))
            return 0;
        p->yaml->node[entry].key = key;
        p->yaml->node[entry].key_size = key_size;
        *(last ? &p->yaml->node[last].next : &p->yaml->node[node].first) = entry;
        last = entry;
        continue_below(p);
        if (p->size && p->at[0] == ',')
            skip(p, 1);
        else if (p->size && p->at[0] != close)
            return fail(p, "a comma or a closing bracket is missing");
    }
    if (!p->size) {
        p->line = line;
        return fail(p, "a bracket is not closed");
    }
    skip(p, 1);
    return node;
}

static uint32_t parse_flow(struct parser *p) {
    uint32_t node = 0;
    if (++p->depth > DEPTH_MAX)
        return fail(p, "nested too deeply");
    if (p->size && p->at[0] == '{') {
        node = parse_brackets(p, YAML_MAP, '}');
    } else if (p->size && p->at[0] == '[') {
        node = parse_brackets(p, YAML_LIST, ']');
    } else if ((node = new_node(p, YAML_WORD))) {
        struct yaml_node word = p->yaml->node[node];
        take_word(p, ",]}", &word.word, &word.size);
        p->yaml->node[node] = word;
    }
    p->depth--;
    return node;
}

/* ---- Blocks ---------------------------------------------------------------------------------------------------------
 */

static uint32_t parse_block(struct parser *p, unsigned indent);

static bool is_item(const struct parser *p) {
    return p->at[0] == '-' && (p->size == 1 || is_space(p->at[1]));
}

/* Returns whether the line is a key, and its value or nothing. */
static bool is_entry(const struct parser *p) {
    size_t length = p->at[0] == '{' || p->at[0] == '[' ? p->size : word_length(p, ":");
    return length < p->size;
}

/* A value that fills the rest of its line. A word may have commas and brackets. */
static uint32_t parse_rest(struct parser *p) {
    uint32_t node;
    if (p->at[0] == '{' || p->at[0] == '[') {
        node = parse_flow(p);
    } else if ((node = new_node(p, YAML_WORD))) {
        struct yaml_node word = p->yaml->node[node];
        take_word(p, "", &word.word, &word.size);
        p->yaml->node[node] = word;
    }
    if (!failed(p) && p->size)
        return fail(p, "something stands behind a value");
    next_line(p);
    return node;
}

/* The value of a key or of an item that is not in its line. */
static uint32_t parse_below(struct parser *p, unsigned indent, bool item) {
    uint32_t empty = new_node(p, YAML_WORD);
    next_line(p);
    if (p->at && (p->indent > indent || (!item && p->indent == indent && is_item(p))))
        return parse_block(p, p->indent);
    return empty;
}

static uint32_t parse_item(struct parser *p, unsigned indent) {
    skip(p, 1);
    if (!p->size)
        return parse_below(p, indent, true);
    return parse_block(p, p->indent);
}

static uint32_t parse_entry(struct parser *p, unsigned indent) {
    const char *key;
    size_t key_size;
    if (!take_word(p, ":", &key, &key_size) || !p->size || p->at[0] != ':')
        return fail(p, "a key without a value");
    skip(p, 1);
    uint32_t node = p->size ? parse_rest(p) : parse_below(p, indent, false);
    if (failed(p))
        return 0;
    p->yaml->node[node].key = key;
    p->yaml->node[node].key_size = key_size;
    return node;
}

static uint32_t parse_block(struct parser *p, unsigned indent) {
    bool list = is_item(p);
    if (!list && !is_entry(p))
        return parse_rest(p);
    if (++p->depth > DEPTH_MAX)
        return fail(p, "nested too deeply");
    uint32_t node = new_node(p, list ? YAML_LIST : YAML_MAP), last = 0;
    while (!failed(p) && p->at && p->indent == indent && is_item(p) == list) {
        if (!list && !is_entry(p))
            return fail(p, "a key with a colon was expected");
        uint32_t entry = list ? parse_item(p, indent) : parse_entry(p, indent);
        if (failed(p))
            return 0;
        *(last ? &p->yaml->node[last].next : &p->yaml->node[node].first) = entry;
        last = entry;
    }
    if (!failed(p) && p->at && p->indent > indent)
        return fail(p, "the line is indented further than the lines above");
    p->depth--;
    return node;
}

uint32_t yaml_parse(struct yaml *yaml, const char *text, size_t size) {
    struct parser p = { .yaml = yaml, .next = text, .end = text + size };
    *yaml = (struct yaml){ 0 };
    (void)new_node(&p, YAML_WORD); /* number 0 is no node */
    next_line(&p);
    if (!p.at)
        return fail(&p, "the text is empty");
    uint32_t root = parse_block(&p, p.indent);
    if (!failed(&p) && p.at)
        return fail(&p, "the line does not belong to the lines above");
    return failed(&p) ? 0 : root;
}

void yaml_free(struct yaml *yaml) {
    free(yaml->node);
    yaml->node = NULL;
}

/* ---- Words
 * ------------------------------------------------------------------------------------------------------------ */

static bool is_text(const char *at, size_t size, const char *text) {
    return at && size == strlen(text) && memcmp(at, text, size) == 0;
}

bool yaml_key_is(const struct yaml_node *node, const char *key) {
    return is_text(node->key, node->key_size, key);
}

bool yaml_word_is(const struct yaml_node *node, const char *word) {
    return node->kind == YAML_WORD && is_text(node->word, node->size, word);
}

static bool number_of(const char *at, size_t size, uint64_t *number) {
    char text[24];
    char *end;
    if (!at || !size || size >= sizeof text || at[0] == '-' || at[0] == '+' || is_space(at[0]))
        return false;
    memcpy(text, at, size);
    text[size] = '\0';
    *number = strtoull(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    return *end == '\0';
}

bool yaml_key_number(const struct yaml_node *node, uint64_t *number) {
    return number_of(node->key, node->key_size, number);
}

bool yaml_word_number(const struct yaml_node *node, uint64_t *number) {
    return node->kind == YAML_WORD && number_of(node->word, node->size, number);
}
