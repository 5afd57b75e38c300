/* The cable of an Ethernet tile. BH page EthernetTxRx.
 *
 * A TX queue takes a command and executes it by itself: it sends bytes of the tile's L1 to L1 of the tile at the other
 * end, or a word to one of its registers. Packets of a queue stay in order, and arrive even if the link is interrupted.
 * The bytes must not change before the other end has reported their arrival.
 */
#ifndef KIT_ETH_H
#define KIT_ETH_H

#include "bhemu_guest.h"

#define ETH_QUEUE(number) (0xFFB90000u + 0x1000u * (number))
#define ETH_PCS_STATUS    0xFFB9800Cu

enum { ETH_COMMAND = 0x04, ETH_STATUS = 0x08, ETH_LARGEST = 0x0C, ETH_FROM = 0x14, ETH_SIZE = 0x18, ETH_TO = 0x1C };
enum { ETH_REGISTER_DATA = 0x44, ETH_ACCEPT_AHEAD = 0x6C };
enum { ETH_SEND_BYTES = 2, ETH_SEND_REGISTER = 4, ETH_ONGOING = 1 << 16 };

static inline int eth_link_is_up(void) {
    return reg_read(ETH_PCS_STATUS) == 1;
}

/* Lets a queue take `ahead` commands before the first has been sent, and send packets of at most `largest` bytes. */
static inline void eth_init(unsigned queue, uint32_t ahead, uint32_t largest) {
    reg_write(ETH_QUEUE(queue) + ETH_ACCEPT_AHEAD, ahead);
    reg_write(ETH_QUEUE(queue) + ETH_LARGEST, largest);
}

/* Waits until the queue has sent everything. Its status follows a command only after another access to the queue. */
static inline void eth_wait(unsigned queue) {
    do
        (void)reg_read(ETH_QUEUE(queue) + ETH_COMMAND);
    while (reg_read(ETH_QUEUE(queue) + ETH_STATUS) & ETH_ONGOING);
}

/* Sends bytes. Both addresses and the size are multiples of 16. */
static inline void eth_send(unsigned queue, uint32_t to, uint32_t from, uint32_t bytes) {
    fence();
    eth_wait(queue);
    reg_write(ETH_QUEUE(queue) + ETH_FROM, from);
    reg_write(ETH_QUEUE(queue) + ETH_TO, to);
    reg_write(ETH_QUEUE(queue) + ETH_SIZE, bytes);
    reg_write(ETH_QUEUE(queue) + ETH_COMMAND, ETH_SEND_BYTES);
}

/* Writes a register at the other end. Only queues 0 and 1 can do this. */
static inline void eth_write_register(unsigned queue, uint32_t address, uint32_t value) {
    eth_wait(queue);
    reg_write(ETH_QUEUE(queue) + ETH_TO, address);
    reg_write(ETH_QUEUE(queue) + ETH_REGISTER_DATA, value);
    reg_write(ETH_QUEUE(queue) + ETH_COMMAND, ETH_SEND_REGISTER);
}

#endif
