/* Plans: the part of an instruction's work that does not differ from one instruction to the next.
 *
 * The slow path of an instruction is its `prepare`: it tests everything, refuses what is undefined, and leaves a plan
 * that says what to run. An instruction for which the plan holds runs it. Nothing else decides whether an instruction
 * is simple: the plan's own code tests whatever the plan does not cover (operands, counters, contents of Dst), and
 * returns to the slow path if necessary.
 *
 * A plan holds for one version of the configuration and one key, which contains the thread and the relevant bits of the
 * word. Code that changes anything else that a `prepare` looks at has to make a new version (config_changed): words of
 * Config and ThreadConfig, SOFT_RESET_0, DBG_FEATURE_DISABLE, LaneConfig. */
#ifndef TENSIX_PLAN_H
#define TENSIX_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct plan {
    uint64_t version; /* version of the configuration; 0: there is no plan */
    uint64_t key;
};

static inline bool plan_holds(const struct plan *plan, uint64_t version, uint64_t key) {
    return plan->version == version && plan->key == key;
}

#endif
