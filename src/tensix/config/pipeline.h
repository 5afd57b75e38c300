/* The pipeline of the Configuration Unit. The table has the cycles in which an instruction that enters in cycle 0 is in
 * each stage:
 *
 *                    -4   -3   -2   -1    0   +1
 *     STREAMWRCFG     0    1    2    3    4         stays longer in -4 while the overlay's port is taken
 *     WRCFG                          0    1
 *     CFGSHIFTMASK                 (0)  0 1         nothing else can be in -1 in cycle 0
 *     RMWCIB, cores                       0
 *     RDCFG                               0    1    stays longer in +1 while others write GPRs
 *
 * An instruction cannot enter a stage that is taken, and cannot enter while an earlier instruction of any thread is in
 * a lower stage from -3 up. So a STREAMWRCFG in stage -4 can be overtaken. Instructions that enter different stages in
 * the same cycle do not hold each other. Source: ConfigurationUnit.md (BH). */
#ifndef TENSIX_CONFIG_PIPELINE_H
#define TENSIX_CONFIG_PIPELINE_H

#include <stdint.h>

#include "base/check.h"
#include "isa/tensix.h"
#include "tensix/config/config.h"

enum pipeline_path {
    PIPELINE_STREAM, /* STREAMWRCFG */
    PIPELINE_WRITE,  /* WRCFG */
    PIPELINE_SHIFT,  /* CFGSHIFTMASK */
    PIPELINE_SINGLE, /* RMWCIB, and accesses of cores */
    PIPELINE_READ,   /* RDCFG */
};

enum { PIPELINE_FROM_PREPARING = TENSIX_LATENCY_STREAMWRCFG - 1 /* cycles from the last one in stage -4 to stage 0 */ };

/* ---- Stages ------------------------------------------------------------------------------------------- */

static inline bool pipeline_zero_free(const struct config_pipe *pipe, uint64_t cycle) {
    return pipe->zero_free[cycle % 2] <= cycle;
}

static inline void pipeline_take_zero(struct config_pipe *pipe, uint64_t cycle) {
    BH_ASSERT(pipeline_zero_free(pipe, cycle));
    pipe->zero_free[cycle % 2] = cycle + 1;
}

/* Returns whether a STREAMWRCFG is in a stage from -3 to -before_zero. */
static inline bool pipeline_stream_passes(const struct config_pipe *pipe, unsigned before_zero, uint64_t cycle) {
    if (BH_LIKELY(pipe->stream_gone <= cycle))
        return false;
    uint64_t to = cycle + before_zero;
    return to < pipe->stream_before || (to < pipe->stream_gone && cycle + PIPELINE_FROM_PREPARING >= pipe->stream_gone);
}

static inline bool pipeline_open(const struct config_pipe *pipe, enum pipeline_path path, uint64_t cycle) {
    switch (path) {
    case PIPELINE_STREAM: return pipe->stream_gone <= cycle + PIPELINE_FROM_PREPARING;
    case PIPELINE_WRITE: return pipe->write_free <= cycle && !pipeline_stream_passes(pipe, 1, cycle);
    case PIPELINE_SHIFT:
        return pipe->write_free <= cycle && pipeline_zero_free(pipe, cycle) && !pipeline_stream_passes(pipe, 0, cycle);
    case PIPELINE_SINGLE: return pipeline_zero_free(pipe, cycle) && !pipeline_stream_passes(pipe, 0, cycle);
    default: /* an RDCFG needs stage +1 in the cycle after it enters */
        return pipe->read_free <= cycle + 1 && pipeline_open(pipe, PIPELINE_SINGLE, cycle);
    }
}

/* ---- Entering ----------------------------------------------------------------------------------------- */

/* The slow path of pipeline_admits. Precondition: the path is not open now. */
uint64_t pipeline_admits_later(const struct config *config, enum pipeline_path path, uint64_t now);

/* Returns the first cycle, `now` or later, in which an instruction can enter if no other one enters before it. */
static inline uint64_t pipeline_admits(const struct config *config, enum pipeline_path path, uint64_t now) {
    return BH_LIKELY(pipeline_open(&config->pipe, path, now)) ? now : pipeline_admits_later(config, path, now);
}

static inline uint64_t pipeline_occupy(struct config *config, uint64_t until) {
    if (until > config->busy_until)
        config->busy_until = until;
    return until;
}

/* Lets an instruction enter. Returns the first cycle in which it has left all stages; its effect is visible then.
 * Precondition: pipeline_open. */
static inline uint64_t pipeline_enter(struct config *config, enum pipeline_path path, uint64_t now) {
    struct config_pipe *pipe = &config->pipe;
    BH_ASSERT(pipeline_open(pipe, path, now));
    switch (path) {
    case PIPELINE_STREAM:
        pipe->stream_before = pipe->stream_gone;
        return pipeline_occupy(config, pipe->stream_gone = now + PIPELINE_FROM_PREPARING + 1);
    case PIPELINE_WRITE:
        pipe->write_free = now + TENSIX_OCCUPANCY_WRCFG;
        pipeline_take_zero(pipe, now + TENSIX_LATENCY_WRCFG - 1);
        return pipeline_occupy(config, now + TENSIX_LATENCY_WRCFG);
    case PIPELINE_SHIFT:
        pipe->write_free = now + 1;
        pipeline_take_zero(pipe, now);
        pipeline_take_zero(pipe, now + TENSIX_OCCUPANCY_CFGSHIFTMASK - 1);
        return pipeline_occupy(config, now + TENSIX_LATENCY_CFGSHIFTMASK);
    case PIPELINE_SINGLE: pipeline_take_zero(pipe, now); return pipeline_occupy(config, now + TENSIX_LATENCY_RMWCIB0);
    default:
        pipeline_take_zero(pipe, now);
        return pipeline_occupy(config, pipe->read_free = now + TENSIX_LATENCY_RDCFG);
    }
}

/* zero_free can represent only this cycle and the next. */
_Static_assert(TENSIX_LATENCY_WRCFG <= 2 && TENSIX_OCCUPANCY_CFGSHIFTMASK <= 2, "zero_free knows two cycles");
_Static_assert((int)TENSIX_OCCUPANCY_CFGSHIFTMASK == (int)TENSIX_LATENCY_CFGSHIFTMASK, "it is in stage 0 to its end");
#define PIPELINE_AS_ONE(name) \
    _Static_assert((int)TENSIX_LATENCY_##name == (int)TENSIX_LATENCY_RMWCIB0, "all bytes of a word take the same " \
                                                                              "path")
PIPELINE_AS_ONE(RMWCIB1);
PIPELINE_AS_ONE(RMWCIB2);
PIPELINE_AS_ONE(RMWCIB3);

/* Keep the last STREAMWRCFG this many cycles longer in stage -4, and the last RDCFG one cycle longer in +1. Return the
 * same as pipeline_enter. */
uint64_t pipeline_delay_stream(struct config *config, uint64_t cycles);
uint64_t pipeline_delay_read(struct config *config);

#endif
