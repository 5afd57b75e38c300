/* A writer of JSON. It writes commas, indentation and escapes; the caller is responsible for the nesting. */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned depth;
    bool more;    /* a value precedes on this level */
    bool inline_; /* no line breaks inside the open value */
    bool in_html; /* '<' is written as an escape, so that no tag begins inside a string */
};

void json_init(struct json *json, FILE *out);
/* Opens an object or array. key is NULL inside arrays and at the top. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
/* Like json_open and json_close, with everything on one line until json_close of that bracket. */
void json_open_line(struct json *json, const char *key, char bracket);
void json_close_line(struct json *json, char bracket);
void json_number(struct json *json, const char *key, uint64_t value);
/* Writes an array without blanks. */
void json_integers(struct json *json, const char *key, const uint64_t *value, size_t count);
/* Writes value / 1000, exactly. */
void json_thousandths(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
/* Writes a string. Bytes that are not UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *key, const char *value);
void json_string_n(struct json *json, const char *key, const char *value, size_t size);
/* Writes bytes as a string of hexadecimal digits. */
void json_hex(struct json *json, const char *key, const uint8_t *data, size_t size);
/* Ends the document. */
void json_end(struct json *json);

#endif
