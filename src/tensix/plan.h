/* Plans: what instructions are going to do, as far as that does not differ from one to the next.
 *
 * The slow path of an instruction is its `prepare`: it looks at everything, refuses what is undefined, and leaves a
 * plan that says what runs. An instruction for which the plan holds runs it. Nothing else decides what is simple about
 * an instruction: what the plan does not cover (operands, counters, contents of Dst) the plan's own code looks at, and
 * goes back to the slow path.
 *
 * A plan holds for one version of the configuration and one key, which has the thread and the bits of the word that
 * count. Whatever changes something else that a `prepare` looks at has to make a new version (config_changed): words of
 * Config and ThreadConfig, SOFT_RESET_0, DBG_FEATURE_DISABLE, LaneConfig. */
#ifndef TENSIX_PLAN_H
#define TENSIX_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct plan {
    uint64_t version; /* of the configuration; 0: there is no plan */
    uint64_t key;
};

static inline bool plan_holds(const struct plan *plan, uint64_t version, uint64_t key) {
    return plan->version == version && plan->key == key;
}

#endif
