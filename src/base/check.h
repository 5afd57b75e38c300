/* BH_CHECK: our own mistakes. Compiled into every build but a release with -Db_ndebug=true. */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <assert.h>

#define BH_CHECK(condition)    assert(condition)
#define BH_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define BH_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
