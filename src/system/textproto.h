/* The text form of protocol buffers, without a schema: a tree of fields.
 *
 *     name: "M0"  count: 2  arch: BLACKHOLE            a string, a number, a word; commas and semicolons may follow
 *     channels { count: 2 }  channels: < count: 2 >    a message
 *     dims: [ 2, 4 ]                                   a field that is repeated: the same as dims: 2 dims: 4
 *     # a comment
 *
 * Not read: extensions and Any ([name] as the name of a field), and numbers with a fraction. */
#ifndef SYSTEM_TEXTPROTO_H
#define SYSTEM_TEXTPROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum proto_kind { PROTO_MESSAGE, PROTO_STRING, PROTO_WORD, PROTO_NUMBER };

/* Nodes are numbered; 0 is no node. Names and words point into the text, which must outlive them. */
struct proto_node {
    uint8_t kind; /* enum proto_kind */
    unsigned line;
    const char *name;
    size_t name_size;
    const char *word; /* of a string (without quotes and escapes) or a word */
    size_t size;
    int64_t number;
    uint32_t first, next; /* the first field of a message, and the field behind this one */
};

struct textproto {
    struct proto_node *node;
    uint32_t count, room;
    char *strings;   /* strings without escapes */
    char error[200]; /* "line 3: ..."; "" if the text is right */
};

/* Parses a text. Returns the node of the whole, a message; 0 with an error. The caller frees with textproto_free in any
 * case. */
uint32_t textproto_parse(struct textproto *proto, const char *text, size_t size);
void textproto_free(struct textproto *proto);

/* Returns the first word of the text if it can begin a message: not in YAML, where a colon follows a key. *size is 0
 * if there is none. *opens: a brace follows without a colon. */
const char *textproto_first(const char *text, size_t size, size_t *length, bool *opens);

bool proto_same_name(const struct proto_node *a, const struct proto_node *b);
bool proto_name_is(const struct proto_node *node, const char *name);
bool proto_word_is(const struct proto_node *node, const char *word);

/* Names and words for a format with %.*s, cut to what fits into a message. */
#define PROTO_NAME_OF(n) (int)((n)->name_size < 40 ? (n)->name_size : 40), (n)->name
#define PROTO_WORD_OF(n) (int)((n)->size < 40 ? (n)->size : 40), (n)->word

#endif
