/* A progress line for long commands. It appears on stderr, if that is a terminal, after the first second, and is erased
 * before anything else is printed. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>

struct progress {
    /* on: the line is wanted, and goes to a terminal; shown: it is on the screen now */
    bool on, shown;
    int terminal;        /* file descriptor */
    double start, drawn; /* seconds: when the command began, when the line was last drawn */
};

/* Starts the clock. The line stays off unless it is wanted and the descriptor, normally that of stderr, is a
 * terminal. */
struct progress progress_begin(int descriptor, bool wanted);
/* Returns whether to draw now: a second has passed since the beginning, and a tenth of a second since the last
 * drawing. */
bool progress_is_due(const struct progress *progress);
/* Returns the seconds since the beginning. */
double progress_seconds(const struct progress *progress);
/* Draws the line, cut to the width of the terminal. */
void progress_draw(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Removes the line from the screen, if it is shown. */
void progress_erase(struct progress *progress);

#endif
