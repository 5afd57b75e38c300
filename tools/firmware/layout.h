/* Memory layouts of builds of tt-metal firmware: their use of L1 and the format of their launch message. Addresses
 * differ between versions, so they are data: tools/firmware/layouts/ has the known layouts, which are also built in;
 * docs/software.md explains every key. */
#ifndef TOOLS_LAYOUT_H
#define TOOLS_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "text/ini.h"

/* Numbers of the protocol that all layouts share. */
enum {
    SIGNAL_DONE = 0x00,
    SIGNAL_INIT = 0x40,
    SIGNAL_GO = 0x80,
    SIGNAL_OFFSET = 3, /* the byte of a go message that contains the signal */
    MODE_HOST = 1,     /* the host, not a dispatcher, waits for the answer */
    PROCESSORS = 5,    /* of a tile, in the order of the messages: brisc, ncrisc, trisc0, trisc1, trisc2 */
};
extern const enum bh_core processor_core[PROCESSORS];

/* A field of the launch message: count items of width bytes, stride bytes apart. width 0: the layout has none. */
struct message_field {
    uint16_t offset;
    uint8_t width, count, stride;
};

/* Name in files, maximum number of items, whether every layout must have it. */
#define MESSAGE_FIELDS(F) \
    F(CONFIG_BASE, "config_base", 4, true) \
    F(SEM_OFFSET, "sem_offset", 4, true) \
    F(CB_OFFSET, "local_cb_offset", 1, true) \
    F(REMOTE_CB_OFFSET, "remote_cb_offset", 1, true) \
    F(RTA_OFFSET, "rta_offset", PROCESSORS, true) \
    F(CRTA_OFFSET, "crta_offset", PROCESSORS, true) \
    F(MODE, "mode", 1, true) \
    F(TEXT_OFFSET, "kernel_text_offset", PROCESSORS, true) \
    F(TEXT_SIZE, "kernel_text_size", PROCESSORS, false) \
    F(CB_MASK, "local_cb_mask", 1, true) \
    F(NOC_ID, "noc_id", 1, true) \
    F(NOC_MODE, "noc_mode", 1, true) \
    F(MIN_REMOTE_CB, "min_remote_cb", 1, true) \
    F(HOST_ID, "host_id", 1, false) \
    F(ENABLES, "enables", 1, true)

enum message_field_id {
#define F(id, name, most, required) MESSAGE_##id,
    MESSAGE_FIELDS(F)
#undef F
        MESSAGE_FIELD_COUNT
};

#define CONSTANTS_MAX 8

/* Bytes that are the same in every launch message. */
struct message_constant {
    struct message_field field;
    uint32_t value;
};

struct layout {
    /* The mailbox */
    uint32_t sync;                           /* a byte each for ncrisc, trisc0, trisc1, trisc2 */
    uint32_t rd_ptr, launch, go, go_index;   /* addresses */
    uint32_t launch_size, launch_count;      /* of the ring of launch messages */
    uint32_t go_count;                       /* go messages, four bytes each */
    uint32_t logical_x, logical_y;           /* bytes; 0: none */
    uint32_t firmware[BH_CORE_COUNT];        /* start addresses of the programs */
    uint32_t staging[BH_CORE_COUNT];         /* where the firmware expects the contents of local memory */
    uint32_t config_base, config_size;       /* for arguments, circular buffers and kernels */
    uint32_t bank_table, logical_table;      /* 0: none */
    uint32_t dram_banks, l1_banks, cb_count; /* numbers for which the firmware was built */
    uint32_t cb_streams;                     /* the stream that counts the pages of circular buffer 0 */
    uint32_t free_l1;                        /* first address of L1 that belongs to the program */
    struct message_field message[MESSAGE_FIELD_COUNT];
    struct message_constant constants[CONSTANTS_MAX];
    unsigned constant_count;
};

/* Reads a description. Mistakes are in ini->errors. */
bool layout_parse(struct ini *ini, const char *text, size_t size, struct layout *layout);

/* What a check has to know of firmware with this layout. Returns false if its launch message cannot be read so. */
bool layout_for_check(const struct layout *layout, struct bh_check_firmware *firmware);

/* The built-in descriptions, generated from tools/firmware/layouts/. */
struct layout_text {
    const char *name, *text;
};
extern const struct layout_text layout_texts[]; /* .name NULL ends */

#endif
