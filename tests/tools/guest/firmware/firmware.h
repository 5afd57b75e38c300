/* Shared by the firmware of the tests and its kernels. Addresses are those of test.layout. */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include <stdint.h>

enum { BRISC, NCRISC, TRISC0, TRISC1, TRISC2, PROCESSORS };
enum { DONE = 0, INIT = 0x40, GO = 0x80 };

struct message { /* [message] of test.layout */
    uint8_t enables, mode, noc_id, noc_mode;
    uint8_t min_remote_cb, pad[3];
    uint16_t host_id, pad2;
    uint32_t config_base;
    uint16_t sem_offset, cb_offset, remote_cb_offset, pad3;
    uint16_t rta_offset[PROCESSORS], pad4;
    uint16_t crta_offset[PROCESSORS], pad5;
    uint16_t cb_mask, pad6;
    uint32_t text_offset[PROCESSORS], text_size[PROCESSORS];
    uint32_t pad7, magic, end[7];
};
_Static_assert(sizeof(struct message) == 128, "as in test.layout");

struct mailbox {            /* [mailbox] of test.layout, from 0x100 */
    volatile uint8_t go[4]; /* signal in the last */
    uint32_t go_index;
    volatile uint8_t sync[4];
    uint32_t rd_ptr;
    uint8_t logical_x, logical_y, pad[14];
    struct message launch[2];
};
#define MAILBOX ((struct mailbox *)0x100)

struct cb {
    uint32_t address, size, pages, page;
};

/* Arguments of a kernel. */
struct context {
    const uint32_t *args, *common_args;
    volatile uint32_t *semaphores; /* four words each */
    const struct cb *cbs;
    const uint16_t *dram_xy; /* of NoC 0 */
    uint8_t logical_x, logical_y, processor, noc;
};

typedef uint32_t kernel_function(const struct context *context);

#endif
