/* Checks of the emulator's own invariants. No guest and no caller can violate them; a failed check is a bug of
 * bhemu.
 *
 * BH_CHECK is part of every build. It evaluates to false if its condition does not hold; the caller then continues
 * in a safe way, and struct internal_error records the first failed check. The chip ends its run with
 * BH_ERR_INTERNAL. BH_ASSERT is for paths where one more comparison is too expensive, and for facts about tables
 * that a unit test covers. It is part of check builds only: those with a sanitizer, or with -Dchecks=true. In check
 * builds both macros abort. */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>

#ifndef BH_CHECKS
#define BH_CHECKS 0
#endif

/* The first check that failed in a tile, or in the chip outside its tiles. */
struct internal_error {
    _Atomic(const char *) where; /* "FILE:LINE: CONDITION", a constant; NULL: no check has failed */
    atomic_bool *pending;        /* set together with `where`: some part of the chip has an error; may be NULL */
};

/* Records the error and returns false. Aborts in check builds, and if there is no error to record into. */
bool check_failed(struct internal_error *error, const char *where) __attribute__((cold, noinline));

#define BH_CHECK_TEXT_(line)   #line
#define BH_CHECK_LINE_(line)   BH_CHECK_TEXT_(line)
#define BH_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define BH_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#define BH_CHECK_WHERE_(text)      __FILE__ ":" BH_CHECK_LINE_(__LINE__) ": " text
#define BH_CHECK(error, condition) (BH_LIKELY(condition) || check_failed((error), BH_CHECK_WHERE_(#condition)))
#if BH_CHECKS
#define BH_ASSERT(condition) ((void)(BH_LIKELY(condition) || check_failed(NULL, BH_CHECK_WHERE_(#condition))))
#else
#define BH_ASSERT(condition) ((void)sizeof(condition))
#endif

#endif
