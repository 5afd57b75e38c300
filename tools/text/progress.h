/* The line about the progress of a long command: on stderr if that is a terminal, from the first second on, one line,
 * erased before anything else is printed. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool on, shown;
    int terminal;        /* descriptor */
    double start, drawn; /* seconds: the beginning, the last drawing */
};

/* The terminal is stderr, or another descriptor. */
struct progress progress_begin(int descriptor, bool wanted);
/* Returns whether it is time to draw: a second has passed since the beginning, and a tenth since the last drawing. */
bool progress_is_due(const struct progress *progress);
/* Returns the seconds since the beginning. */
double progress_seconds(const struct progress *progress);
/* Draws, as much as the terminal is wide. */
void progress_draw(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
void progress_erase(struct progress *progress);

#endif
