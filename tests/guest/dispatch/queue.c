#include "queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 20000 }; /* turns of machine->run without progress */

void queue_init(struct queue *queue, struct machine *machine) {
    *queue = (struct queue){ .machine = machine, .issue_at = HOST_ISSUE, .completion = HOST_COMPLETION };
    for (unsigned i = 0; i < FETCH_ENTRIES; i++)
        machine->write(machine, PREFETCH_X, PREFETCH_Y, FETCH_QUEUE + 2 * i, &(uint16_t){ 0 }, 2);
    machine_write32(machine, PREFETCH_X, PREFETCH_Y, ISSUE_READ, HOST_ISSUE);
    machine_write32(machine, DISPATCH_X, DISPATCH_Y, COMPLETION_READ, HOST_COMPLETION / 16);
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

static uint32_t round_up(size_t size) {
    return (uint32_t)(size + 15) & ~15u;
}

void queue_prefetch(struct queue *queue, const struct prefetch_command *command, size_t size) {
    append(queue, command, size);
    queue->commands++;
}

void queue_relay(struct queue *queue, unsigned to, const void *command, size_t command_size, const void *data,
                 size_t size) {
    uint32_t length = (uint32_t)(command_size + size);
    queue_prefetch(
        queue,
        &(struct prefetch_command){ .id = PREFETCH_RELAY_INLINE,
                                    .to = (uint8_t)to,
                                    .relay = { .length = length, .stride = COMMAND_BYTES + round_up(length) } },
        COMMAND_BYTES);
    append(queue, command, command_size);
    append(queue, data, size);
    pad(queue, 16);
    queue->commands++;
}

void queue_relay_part(struct queue *queue, const void *command, size_t command_size) {
    uint32_t length = (uint32_t)command_size;
    queue_prefetch(queue,
                   &(struct prefetch_command){ .id = PREFETCH_RELAY_INLINE_NOFLUSH,
                                               .relay = { .length = length, .stride = COMMAND_BYTES + length } },
                   COMMAND_BYTES);
    append(queue, command, command_size);
    queue->commands++;
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

/* Time passes. waited counts turns in which nothing came. */
static void wait_a_while(struct queue *queue, unsigned *waited, const char *what) {
    queue->machine->run(queue->machine);
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
    uint32_t read = machine_read32(queue->machine, PREFETCH_X, PREFETCH_Y, ISSUE_READ), at = queue->issue_at;
    if (at < read)
        return bytes < read - at ? at : 0;
    if (bytes <= HOST_ISSUE_END - at)
        return at;
    return bytes < read - HOST_ISSUE ? HOST_ISSUE : 0;
}

static bool fetch_queue_full(const struct queue *queue) {
    return queue->entries - machine_read32(queue->machine, PREFETCH_X, PREFETCH_Y, FETCH_READ) == FETCH_ENTRIES;
}

void queue_submit(struct queue *queue, bool alone) {
    struct machine *machine = queue->machine;
    uint32_t at;
    pad(queue, 64);
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
