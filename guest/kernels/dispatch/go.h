/* Go signals, which the dispatcher and its subordinate can send, and the counters of workers that have answered. */
#ifndef GO_H
#define GO_H

#include "kit/noc.h"
#include "queue.h"

enum { STREAM_SET = 10, STREAM_ADD = 270, STREAM_COUNT = 297, STREAM_BITS = 17, STREAM_ADD_SHIFT = 6 };

static inline uint32_t stream_register(uint32_t stream, uint32_t index) {
    return MAP_OVERLAY + 0x1000 * stream + 4 * index;
}

/* Waits until `count` workers have answered. Counters have 17 bits. */
static inline void wait_for_workers(uint32_t stream, uint32_t count) {
    while ((int32_t)((reg_read(stream_register(stream, STREAM_COUNT)) - count) << (32 - STREAM_BITS)) < 0)
        ;
}

static uint32_t go_tiles[8]; /* tiles that get the signal by unicast */

static inline uint32_t workers_grid(void) {
    return noc_rectangle(GRID_X0, GRID_Y0, GRID_X1, GRID_Y1);
}

/* Returns the address of the go word, whose lowest four bits are those of the message's address. */
static inline uint32_t go_word(struct go go, uint32_t group) {
    volatile uint32_t *word = (volatile uint32_t *)(uintptr_t)(GO_WORDS + NOC_NUMBER * 0x100 + 4 * group);
    uint32_t value;
    memcpy(&value, &go, 4);
    *word = value;
    noc_stores_done((uint32_t)(uintptr_t)word);
    return (uint32_t)(uintptr_t)word;
}

static inline void send_go(const struct dispatch_go *command) {
    wait_for_workers(command->wait_stream, command->wait_count);
    noc_writes_sent(); /* the word of the previous signal has left */
    uint32_t group = command->multicast_go;
    if (group != GO_NO_MULTICAST)
        noc_multicast(workers_grid(), GO + 4 * group, go_word(command->go, group), 4, GRID_TILES);
    uint32_t word = command->unicasts ? go_word(command->go, 0) : 0; /* once: later, the last write may still need it */
    for (uint32_t i = 0; i < command->unicasts; i++)
        noc_write(go_tiles[command->first_tile + i], GO, word, 4);
}

#endif
