/* The ARC tile, which is the chip's management processor, as other tiles see it: its memory (CSM), the registers of its
 * reset unit, telemetry and message queues. The processor itself is not emulated; arc_message.c answers for its
 * firmware.
 *
 * Sources: there is no ISA page. Addresses, tags, queue layout and message codes: tt-umd (blackhole_implementation.hpp,
 * blackhole_arc_*, telemetry.hpp) and the firmware that the boards run (tt-zephyr-platforms, lib/tenstorrent/bh_arc).
 * Inexact: messages are answered in the moment when the doorbell rings; temperatures and clocks other than AICLK are
 * constants. docs/tiles.md lists the messages that are answered.
 *
 *   CSM             0x10000000  512 KiB, storage
 *   reset unit      0x80030000  SCRATCH 0..7 at + 0x60, reference clock at + 0xE0, ARC_MISC_CNTL at + 0x100,
 *                               SCRATCH_RAM 0..63 at + 0x400
 *   MSI catcher     0x800B0000  FIFO at + 0, flush at + 4, status at + 8 */
#ifndef CHIP_ARC_H
#define CHIP_ARC_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/access.h"

enum {
    ARC_CSM_SIZE = 512 * 1024,
    ARC_SCRATCH = 8,
    ARC_SCRATCH_RAM = 64,
    ARC_QUEUES = 4,
    ARC_QUEUE_ENTRIES = 8, /* entries of a queue in each direction */
    ARC_MESSAGE_WORDS = 8,
};

#define ARC_CSM_BASE UINT32_C(0x10000000)
#define ARC_APB_BASE UINT32_C(0x80000000)
#define ARC_APB_SIZE UINT32_C(0x00100000)

/* Words of SCRATCH_RAM that firmware uses. */
enum {
    ARC_BOOT_STATUS = 2,     /* bit 0: accepts messages; bits 2:1 = 2: initialised */
    ARC_QUEUE_BLOCK = 11,    /* address of the queues' control block */
    ARC_TELEMETRY_DATA = 12, /* address of the telemetry values */
    ARC_TELEMETRY_TABLE = 13,
};

/* Offsets in CSM of the firmware's data. */
enum {
    ARC_TABLE_AT = 0x100,
    ARC_VALUES_AT = 0x200,
    ARC_BLOCK_AT = 0x300,
    ARC_QUEUES_AT = 0x400,
};

/* Offsets in a queue: header, requests, responses. The pointers count modulo twice the number of entries. */
enum {
    ARC_REQUEST_WRITE = 0x00, /* written by the sender */
    ARC_RESPONSE_READ = 0x04,
    ARC_REQUEST_READ = 0x10, /* written by firmware */
    ARC_RESPONSE_WRITE = 0x14,
    ARC_LAST_SERIAL = 0x18,
    ARC_QUEUE_HEADER = 32,
    ARC_MESSAGE_SIZE = 4 * ARC_MESSAGE_WORDS,
    /* Bytes of CSM that firmware uses */
    ARC_USED = ARC_QUEUES_AT + ARC_QUEUES * (ARC_QUEUE_HEADER + 2 * ARC_QUEUE_ENTRIES * ARC_MESSAGE_SIZE),
};

enum { ARC_REFCLK_MHZ = 50, ARC_AICLK_IDLE = 800, ARC_AICLK_BUSY = 1350 };

struct arc {
    /* Saved state */
    uint32_t scratch[ARC_SCRATCH];
    uint32_t scratch_ram[ARC_SCRATCH_RAM];
    uint32_t misc_control;
    uint32_t aiclk;        /* MHz */
    uint32_t forced_aiclk; /* MHz; 0: not forced */
    uint32_t busy;         /* argument of the last busy or idle message */
    uint64_t refclk;       /* ticks of the reference clock ... */
    uint64_t refclk_time;  /* ... at this time, in AICLK cycles */

    /* Wiring: ARC_CSM_SIZE bytes, all zero before arc_init */
    uint8_t *csm;
};

/* Sets the state that the board's firmware leaves after its start. */
void arc_init(struct arc *arc, const struct bh_config *config);

/* Returns a pointer to [address, address + size) if all of it is in CSM, else NULL. First updates the values that
 * firmware changes by itself. */
uint8_t *arc_memory(struct arc *arc, uint64_t address, size_t size, uint64_t time);

/* Read and write a register. offset: from ARC_APB_BASE, a multiple of four. The chip handles the NIUs. */
struct access arc_read(struct arc *arc, uint32_t offset, uint64_t time, uint32_t *value);
struct access arc_write(struct arc *arc, uint32_t offset, uint64_t time, uint32_t value);
/* Read and write a register without side effects. */
struct access arc_peek(const struct arc *arc, uint32_t offset, uint64_t time, uint32_t *value);
struct access arc_poke(struct arc *arc, uint32_t offset, uint32_t value);

/* Returns the ticks of the reference clock. */
uint64_t arc_refclk(const struct arc *arc, uint64_t time);

/* ---- Firmware (arc_message.c) ------------------------------------------------------------- */

/* Writes the telemetry table, its values and the queues to CSM. */
void arc_firmware_init(struct arc *arc, const struct bh_config *config);
/* Updates the telemetry values that change by themselves. */
void arc_firmware_update(struct arc *arc, uint64_t time);
/* Answers every request in every queue. Refuses queues whose pointers are inconsistent. */
struct access arc_firmware_messages(struct arc *arc, uint64_t time);

#endif
