/* BH_CHECK: our own mistakes. Compiled into every build but a release with -Db_ndebug=true. */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <assert.h>

#define BH_CHECK(condition) assert(condition)
/* Where an instruction more is felt: only in builds with a sanitizer. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BH_CHECK_HOT(condition) assert(condition)
#else
#define BH_CHECK_HOT(condition) ((void)0)
#endif
#define BH_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define BH_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
