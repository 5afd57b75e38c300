#include "queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 20000 }; /* turns of machine->run without progress */

void queue_init(struct queue *queue, struct machine *machine) {
    *queue = (struct queue){
        .machine = machine, .issue_at = HOST_ISSUE, .issue_read = HOST_ISSUE, .completion = HOST_COMPLETION
    };
    for (unsigned i = 0; i < FETCH_ENTRIES; i++)
        machine->write(machine, PREFETCH_X, PREFETCH_Y, FETCH_QUEUE + 2 * i, &(uint16_t){ 0 }, 2);
    machine_write32(machine, PREFETCH_X, PREFETCH_Y, FETCH_READ, 0);
    machine_write32(machine, PREFETCH_X, PREFETCH_Y, ISSUE_READ, HOST_ISSUE);
    machine_write32(machine, PREFETCH_X, PREFETCH_Y, DISPATCH_FREED, DISPATCH_PAGE_COUNT);
    machine_write32(machine, PREFETCH_X, PREFETCH_Y, SUBORDINATE_FREED, SUBORDINATE_PAGE_COUNT);
    machine_write32(machine, DISPATCH_X, DISPATCH_Y, COMPLETION_READ, HOST_COMPLETION / 16);
    machine_write32(machine, DISPATCH_X, DISPATCH_Y, COMPLETION_WRITE, HOST_COMPLETION / 16);
    memcpy(machine->host + HOST_COMPLETION_WRITE, &(uint32_t){ HOST_COMPLETION / 16 }, 4);
}

/* ---- Putting together --------------------------------------------------------------------------------------- */

static void append(struct queue *queue, const void *bytes, size_t size) {
    if (size > CHUNK_MOST - queue->used)
        machine_fail(queue->machine, "a chunk of commands is too large");
    memcpy(queue->chunk + queue->used, bytes, size);
    queue->used += (uint32_t)size;
}

static void pad(struct queue *queue, uint32_t to) {
    static const uint8_t zero[64];
    append(queue, zero, -queue->used & (to - 1));
}

void queue_prefetch(struct queue *queue, const struct prefetch_command *command, size_t size) {
    append(queue, command, size);
    pad(queue, PREFETCH_STRIDE);
    queue->commands++;
}

/* The head of a command that has its data behind it. */
static void relay_head(struct queue *queue, unsigned id, unsigned to, size_t length) {
    uint32_t all = (uint32_t)(COMMAND_BYTES + length);
    const struct prefetch_command head = {
        .id = (uint8_t)id,
        .to = (uint8_t)to,
        .relay = { .length = (uint32_t)length, .stride = (all + PREFETCH_STRIDE - 1) & -(uint32_t)PREFETCH_STRIDE }
    };
    append(queue, &head, COMMAND_BYTES);
    queue->commands += 2;
}

void queue_relay(struct queue *queue, unsigned to, const void *command, size_t command_size, const void *data,
                 size_t size) {
    relay_head(queue, PREFETCH_RELAY_INLINE, to, command_size + size);
    append(queue, command, command_size);
    append(queue, data, size);
    pad(queue, PREFETCH_STRIDE);
}

void queue_relay_part(struct queue *queue, const void *command, size_t command_size) {
    relay_head(queue, PREFETCH_RELAY_INLINE_NOFLUSH, TO_DISPATCH, command_size);
    append(queue, command, command_size);
    pad(queue, PREFETCH_STRIDE);
}

void queue_end_trace(struct queue *queue) {
    const struct dispatch_command end = { .id = DISPATCH_EXEC_BUF_END };
    relay_head(queue, PREFETCH_EXEC_BUF_END, TO_DISPATCH, COMMAND_BYTES);
    append(queue, &end, COMMAND_BYTES);
    pad(queue, PREFETCH_STRIDE);
}

/* ---- Answers -------------------------------------------------------------------------------------------------- */

void queue_expect(struct queue *queue, const void *bytes, uint32_t size) {
    if (queue->asked - queue->answered == ANSWERS_MOST)
        queue_finish(queue);
    struct answer *answer = &queue->answers[queue->asked++ % ANSWERS_MOST];
    *answer = (struct answer){ .bytes = malloc(size), .size = size };
    if (!answer->bytes)
        machine_fail(queue->machine, "out of memory");
    memcpy(answer->bytes, bytes, size);
}

static void compare(struct queue *queue, struct answer *answer, const uint8_t *page, uint32_t size) {
    for (uint32_t i = 0; i < size; i++)
        if (page[i] != answer->bytes[answer->got + i]) {
            char text[120];
            snprintf(text, sizeof text, "answer %u of %u bytes: byte %u is 0x%02x, not 0x%02x", queue->answered,
                     answer->size, answer->got + i, page[i], answer->bytes[answer->got + i]);
            machine_fail(queue->machine, text);
        }
    answer->got += size;
}

static void take_page(struct queue *queue) {
    struct answer *answer = &queue->answers[queue->answered % ANSWERS_MOST];
    if (queue->answered == queue->asked)
        machine_fail(queue->machine, "an answer that nobody asked for");
    uint32_t left = answer->size - answer->got;
    compare(queue, answer, queue->machine->host + queue->completion,
            left < HOST_COMPLETION_PAGE ? left : HOST_COMPLETION_PAGE);
    memset(queue->machine->host + queue->completion, 0xEE, HOST_COMPLETION_PAGE);
    if (answer->got == answer->size) {
        free(answer->bytes);
        queue->answered++;
    }
    queue->completion += HOST_COMPLETION_PAGE;
    if (queue->completion == HOST_COMPLETION_END) {
        queue->completion = HOST_COMPLETION;
        queue->completion_round ^= 1;
        queue->completion_rounds++;
    }
}

/* Takes what has come, and says whether anything had. */
static bool take_answers(struct queue *queue) {
    uint32_t written, own = queue->completion / 16 | queue->completion_round << 31, before = own;
    memcpy(&written, queue->machine->host + HOST_COMPLETION_WRITE, 4);
    while (own != written) {
        take_page(queue);
        own = queue->completion / 16 | queue->completion_round << 31;
    }
    if (own != before)
        machine_write32(queue->machine, DISPATCH_X, DISPATCH_Y, COMPLETION_READ, own);
    return own != before;
}

/* Time passes. waited counts turns in which nothing came. What the prefetcher has said to have read, it has read by
 * then. */
static void wait_a_while(struct queue *queue, unsigned *waited, const char *what) {
    uint32_t read = machine_read32(queue->machine, PREFETCH_X, PREFETCH_Y, ISSUE_READ);
    queue->machine->run(queue->machine);
    queue->issue_read = read;
    *waited = take_answers(queue) ? 0 : *waited + 1;
    if (*waited > PATIENCE)
        machine_fail(queue->machine, what);
}

void queue_finish(struct queue *queue) {
    for (unsigned waited = 0; queue->answered != queue->asked;)
        wait_a_while(queue, &waited, "an answer does not come");
}

/* ---- Handing over ------------------------------------------------------------------------------------------------ */

/* Where so many bytes can go, 0 if they cannot. Equal pointers mean an empty ring. */
static uint32_t issue_room(const struct queue *queue, uint32_t bytes) {
    uint32_t read = queue->issue_read, at = queue->issue_at;
    if (at < read)
        return bytes < read - at ? at : 0;
    if (bytes <= HOST_ISSUE_END - at)
        return at;
    return bytes < read - HOST_ISSUE ? HOST_ISSUE : 0;
}

/* One entry stays empty, so that the address of the last one taken says how many are left. */
static bool fetch_queue_full(const struct queue *queue) {
    uint32_t last = machine_read32(queue->machine, PREFETCH_X, PREFETCH_Y, FETCH_READ);
    if (last == 0)
        return queue->entries == FETCH_ENTRIES - 1;
    uint32_t next = (last - FETCH_QUEUE) / 2 + 1;
    return (queue->entries - next) % FETCH_ENTRIES == FETCH_ENTRIES - 1;
}

void queue_submit(struct queue *queue, bool alone) {
    struct machine *machine = queue->machine;
    uint32_t at;
    for (unsigned waited = 0; fetch_queue_full(queue);)
        wait_a_while(queue, &waited, "the fetch queue stays full");
    for (unsigned waited = 0; (at = issue_room(queue, queue->used)) == 0;)
        wait_a_while(queue, &waited, "the issue queue stays full");
    memcpy(machine->host + at, queue->chunk, queue->used);
    queue->issue_rounds += at < queue->issue_at;
    uint16_t entry = (uint16_t)(queue->used / 16 | (alone ? FETCH_ALONE : 0));
    machine->write(machine, PREFETCH_X, PREFETCH_Y, FETCH_QUEUE + 2 * (queue->entries % FETCH_ENTRIES), &entry, 2);
    queue->issue_at = at + queue->used;
    queue->entries++;
    queue->chunks++;
    queue->used = 0;
}
