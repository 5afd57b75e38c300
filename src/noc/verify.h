/* The invariants of a NIU, for check builds. */
#ifndef NOC_VERIFY_H
#define NOC_VERIFY_H

#include "base/check.h"
#include "noc/niu.h"

void niu_verify_all(const struct niu *niu);

/* Recomputes the due time, the busy initiators and the interrupt of a NIU, and asserts that they are right. Does
 * nothing unless the build has checks. */
static inline void niu_verify(const struct niu *niu) {
    if (BH_CHECKS)
        niu_verify_all(niu);
}

#endif
