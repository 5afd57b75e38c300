/* Memory layouts of builds of tt-metal firmware: their use of L1, and the format of their launch message. Addresses
 * differ between versions, so layouts are data: tools/firmware/layouts/ has the known ones, which are also built in;
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
    SIGNAL_OFFSET = 3, /* index of the byte with the signal in a go message */
    MODE_HOST = 1,     /* the host waits for the answer, and not a dispatcher */
    PROCESSORS = 5, /* number of processors of a tile; messages have the order brisc, ncrisc, trisc0, trisc1, trisc2 */
};
extern const enum bh_core processor_core[PROCESSORS];

/* A field of the launch message: `count` items of `width` bytes, `stride` bytes apart. width 0: the layout does not
 * have this field. */
struct message_field {
    uint16_t offset;
    uint8_t width, count, stride;
};

/* For each field: its name in files, the maximum number of items, whether every layout must have it. */
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

/* Bytes that have the same value in every launch message. */
struct message_constant {
    struct message_field field;
    uint32_t value;
};

struct layout {
    /* The mailbox: */
    uint32_t sync;                           /* address of a byte each for ncrisc, trisc0, trisc1, trisc2 */
    uint32_t rd_ptr, launch, go, go_index;   /* addresses of the read pointer, launch and go messages, and go index */
    uint32_t launch_size, launch_count;      /* bytes of a launch message, and number of messages in the ring */
    uint32_t go_count;                       /* number of go messages, four bytes each */
    uint32_t logical_x, logical_y;           /* addresses of two bytes; 0: none */
    uint32_t firmware[BH_CORE_COUNT];        /* start addresses of the programs */
    uint32_t staging[BH_CORE_COUNT];         /* where the firmware expects the contents of local memory */
    uint32_t config_base, config_size;       /* for arguments, circular buffers and kernels */
    uint32_t bank_table, logical_table;      /* addresses of tables; 0: none */
    uint32_t dram_banks, l1_banks, cb_count; /* numbers that the firmware was built for */
    uint32_t cb_streams;                     /* the stream that counts the pages of circular buffer 0 */
    uint32_t free_l1;                        /* first address of L1 that programs may use */
    struct message_field message[MESSAGE_FIELD_COUNT];
    struct message_constant constants[CONSTANTS_MAX];
    unsigned constant_count;
};

/* Reads a description. Returns false if there are mistakes, which are in ini->errors. */
bool layout_parse(struct ini *ini, const char *text, size_t size, struct layout *layout);

/* Extracts what the hazard check has to know about firmware with this layout. Returns false if the check cannot read
 * its launch message. */
bool layout_for_check(const struct layout *layout, struct bh_check_firmware *firmware);

/* The built-in descriptions, generated from tools/firmware/layouts/. */
struct layout_text {
    const char *name, *text;
};
extern const struct layout_text layout_texts[]; /* ends with .name NULL */

#endif
