/* The host's side of fast dispatch: commands go into the issue queue in the host's memory and their sizes into the
 * prefetcher's fetch queue; answers come back in the completion queue. The protocol is in
 * guest/kernels/dispatch/queue.h.
 */
#ifndef DISPATCH_HOST_QUEUE_H
#define DISPATCH_HOST_QUEUE_H

#include "kernels/dispatch/queue.h"
#include "machine.h"

enum { CHUNK_MOST = 0x2000, ANSWERS_MOST = 64 };

/* Bytes that the completion queue will bring. */
struct answer {
    uint8_t *bytes; /* malloc'ed */
    uint32_t size, got;
};

struct queue {
    struct machine *machine;
    /* The command that is being assembled. */
    uint8_t chunk[CHUNK_MOST];
    uint32_t used;
    /* Rings. */
    uint32_t issue_at, issue_read, entries;
    uint32_t completion, completion_round;
    struct answer answers[ANSWERS_MOST];
    uint32_t asked, answered;
    /* For the curious. */
    unsigned commands, chunks, issue_rounds, completion_rounds;
};

void queue_init(struct queue *queue, struct machine *machine);

/* A command to the dispatcher (or its subordinate), of its own 16 or 32 bytes and data behind it. */
void queue_relay(struct queue *queue, unsigned to, const void *command, size_t command_size, const void *data,
                 size_t size);
/* Likewise, but the next command continues in the same page. */
void queue_relay_part(struct queue *queue, const void *command, size_t command_size);
/* The last command of a trace. */
void queue_end_trace(struct queue *queue);
/* A command to the prefetcher itself. */
void queue_prefetch(struct queue *queue, const struct prefetch_command *command, size_t size);

/* Hands over the assembled commands. alone: the prefetcher must not read ahead. */
void queue_submit(struct queue *queue, bool alone);

/* The data that WRITE_HOST brings next; the bytes are copied. */
void queue_expect(struct queue *queue, const void *bytes, uint32_t size);
/* Until everything has come that is expected. */
void queue_finish(struct queue *queue);

#endif
