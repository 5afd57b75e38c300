/* Checks of the emulator's own rules. No guest and no caller can break them; a failed check is a bug of bhemu.
 *
 * BH_CHECK is in every build. It is false if its condition does not hold: the caller goes on in a safe way, and the
 * owner of the error finds in it which check failed first. The chip then ends its run with BH_ERR_INTERNAL.
 * BH_ASSERT is for paths where one more comparison costs, and for facts about tables that a unit test covers. It is in
 * check builds only: those with a sanitizer, or with -Dchecks=true. In check builds both macros abort.
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>

#ifndef BH_CHECKS
#define BH_CHECKS 0
#endif

/* The first check that failed in a tile, or in the chip outside its tiles. */
struct internal_error {
    _Atomic(const char *) where; /* "FILE:LINE: CONDITION", a constant; NULL: every check has held */
    atomic_bool *pending;        /* set with it: the chip has an error somewhere; may be NULL */
};

/* Notes the error, and returns false. Without an owner to tell, or in a check build, the process aborts. */
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
