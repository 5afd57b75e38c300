/* Plays a log of a libttsim session (session_log.h) on any library with that ABI, and compares what it answers. */
#ifndef SESSION_PLAY_H
#define SESSION_PLAY_H

#include <stddef.h>

/* Prints differences and a summary. Returns the exit status: 0 all is the same, 1 something differs, 2 the log is bad
 * or the library cannot be loaded. */
int session_play(const char *library, const void *log, size_t size);

#endif
