/* Writes JSON (RFC 8259): see json.h. */
#include "text/json.h"

#include <string.h>

void json_init(struct json *json, FILE *out) {
    *json = (struct json){ .out = out };
}

static void new_line(struct json *json) {
    if (json->inline_) {
        fputc(' ', json->out);
        return;
    }
    fputc('\n', json->out);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->out);
}

/* Returns the length of the UTF-8 sequence at p, or 0 if the bytes there are not valid UTF-8 (RFC 3629). */
static size_t utf8_length(const uint8_t *p, size_t left) {
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90);
    bool outside = (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF4 && p[1] > 0x8F);
    return overlong || outside ? 0 : n;
}

static void write_char(const struct json *json, const uint8_t *p, size_t n) {
    FILE *out = json->out;
    if (n == 0)
        fputs("\xEF\xBF\xBD", out);
    else if (*p == '"' || *p == '\\')
        fprintf(out, "\\%c", *p);
    else if (*p == '\n')
        fputs("\\n", out);
    else if (*p == '\t')
        fputs("\\t", out);
    else if (*p < 0x20 || *p == 0x7F || (json->in_html && *p == '<'))
        fprintf(out, "\\u%04x", *p);
    else
        fwrite(p, 1, n, out);
}

static void write_string(const struct json *json, const char *text, size_t size) {
    fputc('"', json->out);
    for (size_t i = 0, n; i < size; i += n ? n : 1) {
        const uint8_t *p = (const uint8_t *)text + i;
        n = utf8_length(p, size - i);
        write_char(json, p, n);
    }
    fputc('"', json->out);
}

static void begin_value(struct json *json, const char *key) {
    if (json->more)
        fputc(',', json->out);
    if (json->depth)
        new_line(json);
    json->more = true;
    if (key) {
        write_string(json, key, strlen(key));
        fputs(": ", json->out);
    }
}

void json_open(struct json *json, const char *key, char bracket) {
    begin_value(json, key);
    fputc(bracket, json->out);
    json->depth++;
    json->more = false;
}

void json_close(struct json *json, char bracket) {
    json->depth--;
    if (json->more)
        new_line(json);
    fputc(bracket, json->out);
    json->more = true;
}

void json_open_line(struct json *json, const char *key, char bracket) {
    json_open(json, key, bracket);
    json->inline_ = true;
}

void json_close_line(struct json *json, char bracket) {
    json_close(json, bracket);
    json->inline_ = false;
}

void json_number(struct json *json, const char *key, uint64_t value) {
    begin_value(json, key);
    fprintf(json->out, "%llu", (unsigned long long)value);
}

void json_thousandths(struct json *json, const char *key, uint64_t value) {
    begin_value(json, key);
    fprintf(json->out, "%llu.%03u", (unsigned long long)(value / 1000), (unsigned)(value % 1000));
}

void json_integers(struct json *json, const char *key, const uint64_t *value, size_t count) {
    begin_value(json, key);
    fputc('[', json->out);
    for (size_t i = 0; i < count; i++)
        fprintf(json->out, "%s%llu", i ? "," : "", (unsigned long long)value[i]);
    fputc(']', json->out);
}

void json_bool(struct json *json, const char *key, bool value) {
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_string_n(struct json *json, const char *key, const char *value, size_t size) {
    begin_value(json, key);
    write_string(json, value, size);
}

void json_string(struct json *json, const char *key, const char *value) {
    json_string_n(json, key, value, strlen(value));
}

void json_hex(struct json *json, const char *key, const uint8_t *data, size_t size) {
    begin_value(json, key);
    fputc('"', json->out);
    for (size_t i = 0; i < size; i++)
        fprintf(json->out, "%02x", data[i]);
    fputc('"', json->out);
}

void json_end(struct json *json) {
    fputc('\n', json->out);
}
