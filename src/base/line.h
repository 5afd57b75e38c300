/* A line of text for people, in a buffer of fixed size. A line that does not fit is cut after its last whole word, and
 * " ..." stands for the rest: a number or a name is never cut in two. */
#ifndef BASE_LINE_H
#define BASE_LINE_H

#include <stdarg.h>
#include <stddef.h>

/* Shortens a line that snprintf, or a function with the same return value, has printed. length: that return value. */
void line_fit(char *line, size_t size, size_t length);
/* Prints a line into the buffer. */
void line_put(char *line, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
void line_put_list(char *line, size_t size, const char *format, va_list list) __attribute__((format(printf, 3, 0)));
/* Appends to the text that is in the buffer. */
void line_add(char *line, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
void line_add_list(char *line, size_t size, const char *format, va_list list) __attribute__((format(printf, 3, 0)));

#endif
