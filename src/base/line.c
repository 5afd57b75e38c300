/* Lines of text in buffers of fixed size: see line.h. */
#include "base/line.h"

#include <stdio.h>
#include <string.h>

static const char rest[] = " ...";
enum { REST = sizeof rest - 1 };

void line_fit(char *line, size_t size, size_t length) {
    if (length < size || size <= REST)
        return;
    size_t most = size - 1 - REST, end = most; /* the last position at which " ..." can begin */
    while (end > 0 && line[end] != ' ')
        end--;
    memcpy(line + (end ? end : most), rest, sizeof rest);
}

void line_add_list(char *line, size_t size, const char *format, va_list list) {
    size_t at = strnlen(line, size);
    if (at >= size)
        return;
    int length = vsnprintf(line + at, size - at, format, list);
    if (length > 0)
        line_fit(line, size, at + (size_t)length);
}

void line_add(char *line, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    line_add_list(line, size, format, list);
    va_end(list);
}

void line_put_list(char *line, size_t size, const char *format, va_list list) {
    if (size == 0)
        return;
    line[0] = '\0';
    line_add_list(line, size, format, list);
}

void line_put(char *line, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    line_put_list(line, size, format, list);
    va_end(list);
}
