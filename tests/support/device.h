/* A Blackhole chip behind the libttsim C ABI, as a host program sees it.
 *
 * The ABI is a singleton that may end the process when it is unhappy, so device_spawn runs the work in a child
 * process and hands back how it ended and what it printed. Inside the child, device_open loads the library;
 * tiles are reached through TLB window 0 by translated coordinates.
 */
#ifndef SUPPORT_DEVICE_H
#define SUPPORT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_TILES     140         /* Tensix tiles of an unharvested chip */
#define DEVICE_RESET     0xFFB121B0u /* SOFT_RESET_0 */
#define DEVICE_ALL_RESET 0x47800u    /* all five cores held */

/* Cores in the order of enum bh_core. */
enum { DEVICE_CORES = 5 };
extern const char *const device_core_name[DEVICE_CORES];
extern const uint32_t device_core_reset_bit[DEVICE_CORES];
extern const uint32_t device_core_start[DEVICE_CORES]; /* pc after reset, without an override */

struct device_tile {
    unsigned x, y;
};
struct device_tile device_tile(unsigned index); /* 0..DEVICE_TILES-1 */

struct device;

/* NULL, with a message on stderr, if the library cannot be loaded or lacks a symbol. */
struct device *device_open(const char *library);
/* A device with host memory that it can access. */
struct device *device_open_with(const char *library, void (*read)(uint64_t address, void *data, uint32_t size),
                                void (*write)(uint64_t address, const void *data, uint32_t size));
void device_close(struct device *device);
/* Makes another chip of the library, PCI device 00:CHIP.0, the one that the functions below mean. False if there is
 * none. */
bool device_choose(struct device *device, unsigned chip);

void device_clock(struct device *device, uint32_t clocks);
/* The library's own function, for measurements. */
void (*device_clock_function(const struct device *device))(uint32_t clocks);
void device_write(struct device *device, struct device_tile tile, uint64_t address, const void *data, size_t size);
void device_read(struct device *device, struct device_tile tile, uint64_t address, void *data, size_t size);
void device_write32(struct device *device, struct device_tile tile, uint64_t address, uint32_t value);
uint32_t device_read32(struct device *device, struct device_tile tile, uint64_t address);
void device_bar2_write32(struct device *device, uint32_t offset, uint32_t value);
/* Lets the cores of a mask run and holds the others. */
void device_release(struct device *device, struct device_tile tile, unsigned cores);

/* How a child ended. */
struct device_outcome {
    bool ok;        /* the work returned 0 and the process left in order */
    char text[400]; /* otherwise: the last line that it printed, or how it died */
};

/* Runs work(argument) in a child with its output caught. What work wants to hand back has to be in shared
 * memory (device_shared). Ends a child that takes longer than the given seconds of
 * processor time. */
struct device_outcome device_spawn(int (*work)(void *argument), void *argument, unsigned seconds);
void *device_shared(size_t size); /* zeroed, shared with children; never NULL */
void device_unshare(void *memory, size_t size);

#endif
