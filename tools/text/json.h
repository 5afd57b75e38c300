/* Writes JSON: adds commas, indentation and escapes. The caller is responsible for the nesting. `key` is NULL for items
 * of an array and for the outermost value. */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned depth;
    bool more;    /* the open object or array has a value already */
    bool inline_; /* the open object or array is written without line breaks */
    bool in_html; /* '<' is written as an escape, so that no tag begins inside a string */
};

void json_init(struct json *json, FILE *out);
/* Opens an object or array; bracket is '{' or '['. */
void json_open(struct json *json, const char *key, char bracket);
/* Closes it; bracket is '}' or ']'. */
void json_close(struct json *json, char bracket);
/* Like json_open and json_close, with everything in between on one line. */
void json_open_line(struct json *json, const char *key, char bracket);
void json_close_line(struct json *json, char bracket);
void json_number(struct json *json, const char *key, uint64_t value);
/* Writes an array of numbers on one line, without blanks. */
void json_integers(struct json *json, const char *key, const uint64_t *value, size_t count);
/* Writes value / 1000 with exactly three decimals. */
void json_thousandths(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
/* Writes a string. Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *key, const char *value);
void json_string_n(struct json *json, const char *key, const char *value, size_t size);
/* Writes bytes as a string of hexadecimal digits. */
void json_hex(struct json *json, const char *key, const uint8_t *data, size_t size);
/* Ends the document with a line break. */
void json_end(struct json *json);

#endif
