/* Sends messages from tile (1,2) to tile (3,2). Tile (2,2) lies between them: its core only configures a stream that
 * passes the messages on. The buffers are shorter than all messages together, so that the first core has to wait for
 * the last one. */
#include "kit/stream.h"

enum { MESSAGES = 12, STREAM = 8, PHASE = 1 };

static const struct stream_memory memory = { 0x20000, 0x200, 0x21000 }; /* the same in all tiles */
static uint32_t number;                                                 /* number of the message that is being pushed */

GUEST_L1 char message[96];

static uint32_t words_of(uint32_t i) {
    return 1 + i * 5 % 14;
}

static void put(uint32_t i, volatile uint32_t *word) {
    word[0] = number;
    word[1] = words_of(number); /* the length, at the position that stream_init sets */
    word[2] = i;
    word[3] = number * 1000 + i;
}

static void produce(void) {
    stream_to(STREAM, noc_tile(2, 2), STREAM, &memory);
    stream_start(STREAM, STREAM_FROM_SOFTWARE | STREAM_TO_NOC | STREAM_ENDS_CHANGE, MESSAGES);
    for (number = 0; number < MESSAGES; number++)
        stream_push(STREAM, &memory, words_of(number), put);
    stream_wait_idle(STREAM);
}

static void pass_on(void) {
    stream_from(STREAM, noc_tile(1, 2), STREAM, PHASE);
    stream_to(STREAM, noc_tile(3, 2), STREAM, &memory);
    stream_start(STREAM, STREAM_FROM_NOC | STREAM_TO_NOC | STREAM_ENDS_CHANGE, MESSAGES);
    stream_wait_idle(STREAM);
}

static void consume(void) {
    uint32_t sum = 0, words = 0, at;
    stream_from(STREAM, noc_tile(2, 2), STREAM, PHASE);
    stream_set(STREAM, STREAM_REMOTE_DEST_MSG_INFO_WR_PTR, 0);
    stream_start(STREAM, STREAM_FROM_NOC | STREAM_TO_SOFTWARE | STREAM_ENDS_CHANGE, MESSAGES);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        uint32_t length = stream_wait(STREAM, &at);
        for (uint32_t j = 0; j < length; j++, at += 16) {
            uint32_t offset = (at - memory.buffer) % memory.size;
            sum += ((volatile uint32_t *)(uintptr_t)(memory.buffer + offset))[3];
        }
        words += length;
        stream_free(STREAM);
    }
    char *end = put_number(put_text(message, "12 messages of "), words * 16);
    end = put_number(put_text(end, " bytes, sum "), sum);
    put_text(end, "\n");
}

int brisc(void) {
    stream_init();
    stream_memory(STREAM, &memory);
    if (my_x() == 1)
        produce();
    else if (my_x() == 2)
        pass_on();
    else
        consume();
    return 0;
}
