/* The progress line: see progress.h. */
#include "text/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct progress progress_begin(int descriptor, bool wanted) {
    return (struct progress){ .on = wanted && isatty(descriptor), .terminal = descriptor, .start = now() };
}

bool progress_is_due(const struct progress *p) {
    if (!p->on)
        return false;
    double time = now();
    return time - p->start > 1 && time - p->drawn > 0.1;
}

double progress_seconds(const struct progress *p) {
    return now() - p->start;
}

static void put(const struct progress *p, const char *text, size_t size) {
    ssize_t written = write(p->terminal, text, size);
    (void)written; /* nothing to do if the terminal has been closed */
}

void progress_draw(struct progress *p, const char *format, ...) {
    char text[256] = "\r";
    struct winsize size;
    size_t width = ioctl(p->terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79;
    va_list list;
    va_start(list, format);
    vsnprintf(text + 1, sizeof text - 5, format, list);
    va_end(list);
    if (width > sizeof text - 5)
        width = sizeof text - 5;
    text[1 + width] = '\0';
    strcat(text, "\x1b[K");
    fflush(stdout);
    put(p, text, strlen(text));
    p->shown = true;
    p->drawn = now();
}

void progress_erase(struct progress *p) {
    if (p->shown)
        put(p, "\r\x1b[K", 4);
    p->shown = false;
}
