/* The pipeline of the Configuration Unit. What goes through it, and the cycles in which it is in each stage when it
 * enters in cycle 0:
 *
 *                    -4   -3   -2   -1    0   +1
 *     STREAMWRCFG     0    1    2    3    4         stays longer in -4 while the overlay's port is taken
 *     WRCFG                          0    1
 *     CFGSHIFTMASK                 (0)  0 1         nothing else can be in -1 in cycle 0
 *     RMWCIB, cores                       0
 *     RDCFG                               0    1    stays longer in +1 while others write GPRs
 *
 * Nothing enters a stage that is taken, nor while something that was there before is in a lower stage from -3 up,
 * whoever it belongs to. So a STREAMWRCFG in -4 is overtaken. Those that enter in the same cycle, in different stages,
 * do not hold each other. Source: ConfigurationUnit.md (BH).
 */
#ifndef TENSIX_CONFIG_PIPELINE_H
#define TENSIX_CONFIG_PIPELINE_H

#include <stdint.h>

#include "tensix/config/config.h"

enum pipeline_path {
    PIPELINE_STREAM, /* STREAMWRCFG */
    PIPELINE_WRITE,  /* WRCFG */
    PIPELINE_SHIFT,  /* CFGSHIFTMASK */
    PIPELINE_SINGLE, /* RMWCIB, and accesses of cores */
    PIPELINE_READ,   /* RDCFG */
};

/* The first cycle from `now` on in which it can enter, as things are. */
uint64_t pipeline_admits(const struct config *config, enum pipeline_path path, uint64_t now);
/* It enters; pipeline_admits has said so. Stays valid until the next one enters. thread: or CONFIG_BY_CORE. */
struct config_entry *pipeline_enter(struct tensix *x, enum pipeline_path path, unsigned thread, uint64_t now);
/* It stays this many cycles longer in its first stage, or in its last. */
void pipeline_delay_first(struct tensix *x, struct config_entry *entry, uint64_t cycles);
void pipeline_delay_last(struct tensix *x, struct config_entry *entry, uint64_t cycles);
/* The entry that is in stage -4 in cycle `now`. */
struct config_entry *pipeline_preparing(struct config *config, uint64_t now);

#endif
