/* A text that grows in a buffer of the caller. It is truncated at the end of the buffer, but its length counts all
 * characters. */
#ifndef ISA_TEXT_H
#define ISA_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct text {
    char *start;
    size_t size;
    size_t length; /* length of the whole text, including what did not fit */
};

/* Returns an empty text in a buffer of `size` bytes. Without a buffer, only the length is counted. */
static inline struct text text_init(char *start, size_t size) {
    size = start ? size : 0;
    if (size > 0)
        start[0] = '\0';
    return (struct text){ .start = start, .size = size };
}

__attribute__((format(printf, 2, 3))) static inline void text_put(struct text *text, const char *format, ...) {
    size_t room = text->length < text->size ? text->size - text->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(room ? text->start + text->length : NULL, room, format, arguments);
    va_end(arguments);
    text->length += length > 0 ? (size_t)length : 0;
}

#endif
