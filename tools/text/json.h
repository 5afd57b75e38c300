/* A writer of JSON: keeps the commas, the indentation and the escapes; the caller keeps the nesting. */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *out;
    unsigned depth;
    bool more;    /* something stands before on this level */
    bool inline_; /* no line breaks inside the value that is open */
};

void json_init(struct json *json, FILE *out);
/* key is NULL inside arrays and at the top. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
/* Until json_close of that bracket everything stays on one line. */
void json_open_line(struct json *json, const char *key, char bracket);
void json_close_line(struct json *json, char bracket);
void json_number(struct json *json, const char *key, uint64_t value);
/* value / 1000, exactly. */
void json_thousandths(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
/* Bytes that are no UTF-8 are written as U+FFFD. */
void json_string(struct json *json, const char *key, const char *value);
void json_string_n(struct json *json, const char *key, const char *value, size_t size);
/* Bytes as a string of hexadecimal digits. */
void json_hex(struct json *json, const char *key, const uint8_t *data, size_t size);
/* Ends the document. */
void json_end(struct json *json);

#endif
