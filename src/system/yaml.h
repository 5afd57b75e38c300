/* The subset of YAML that descriptors use: maps and lists by indentation, maps and lists in braces and brackets,
 * plain and quoted words, comments. No anchors, tags, documents, or texts over several lines. */
#ifndef SYSTEM_YAML_H
#define SYSTEM_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum yaml_kind { YAML_WORD, YAML_MAP, YAML_LIST };

/* Nodes are numbered; 0 is no node. Words and keys point into the text, which must outlive them. */
struct yaml_node {
    uint8_t kind; /* enum yaml_kind */
    unsigned line;
    const char *key; /* of an entry of a map; else NULL */
    size_t key_size;
    const char *word;
    size_t size;
    uint32_t first, next; /* its first entry, and the entry behind it */
};

struct yaml {
    struct yaml_node *node;
    uint32_t count, room;
    char error[200]; /* "line 3: ..."; "" if the text is right */
};

/* Parses a text. Returns the node of the whole; 0 with an error. The caller frees with yaml_free in any case. */
uint32_t yaml_parse(struct yaml *yaml, const char *text, size_t size);
void yaml_free(struct yaml *yaml);

bool yaml_key_is(const struct yaml_node *node, const char *key);
bool yaml_word_is(const struct yaml_node *node, const char *word);
/* Reads a key or a word as a number, decimal or with 0x. */
bool yaml_key_number(const struct yaml_node *node, uint64_t *number);
bool yaml_word_number(const struct yaml_node *node, uint64_t *number);

#endif
