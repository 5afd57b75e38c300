/* The slow paths of the Configuration Unit's pipeline: entries that have to wait, and instructions that stay longer in
 * a stage.
 *
 * Assumed: if the RDCFG before it stays in stage +1, an RDCFG waits at its gate until it will find that stage free; the
 * page does not say. */
#include "tensix/config/pipeline.h"

/* Returns the next cycle in which the path may be open. Skips a long stay of another instruction. */
static uint64_t may_open(const struct config_pipe *pipe, enum pipeline_path path, uint64_t cycle) {
    if (path == PIPELINE_STREAM)
        return pipe->stream_gone - PIPELINE_FROM_PREPARING;
    if (path == PIPELINE_READ && pipe->read_free > cycle + 1)
        return pipe->read_free - 1;
    return cycle + 1;
}

uint64_t pipeline_admits_later(const struct config *config, enum pipeline_path path, uint64_t now) {
    uint64_t cycle = now;
    while (!pipeline_open(&config->pipe, path, cycle))
        cycle = may_open(&config->pipe, path, cycle);
    return cycle;
}

uint64_t pipeline_delay_stream(struct config *config, uint64_t cycles) {
    return pipeline_occupy(config, config->pipe.stream_gone += cycles);
}

uint64_t pipeline_delay_read(struct config *config) {
    return pipeline_occupy(config, ++config->pipe.read_free);
}
