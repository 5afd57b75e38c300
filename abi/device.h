/* State that the functions of libttsim.so share: the chip or the chips of the process. Errors end the process
 * (libttsim.c). */
#ifndef ABI_DEVICE_H
#define ABI_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "bhemu.h"
#include "chips.h"
#include "gdb/gdb.h"
#include "libttsim.h"

struct device {
    bh_chip *chip;       /* the only chip; of several, the selected or last accessed; NULL before init, after exit */
    struct chips *chips; /* all chips, if there may be several; else NULL */
    bh_chip *plain;      /* the only chip, if it runs without gdb: most calls need one test only; else NULL */
    unsigned users;      /* number of calls of libttsim_init without a matching libttsim_exit */
    unsigned epoch;
    bool keep_going; /* a fault stops its core, but not the process */
    bool semihosting;
    struct gdb *gdb;     /* NULL: there is no debugger */
    FILE *hazards;       /* file for the hazards of the session; NULL: there is no check */
    uint32_t reported;   /* bit i: the current deadlock of chip i has been reported */
    uint32_t left;       /* clocks until the next look for deadlocks and kernels that do not end */
    uint32_t unchecked;  /* clocks since the last check for a deadlock */
    uint32_t reads;      /* number of reads from a chip since the last look at kernels */
    struct stuck *stuck; /* state of the search for kernels that do not end */
    struct timespec started;
    libttsim_dma_read *read;
    libttsim_dma_write *write;
};
extern struct device device;

/* True if the client creates chips and selects one of them before each access (by_id.c); false if it finds all chips on
 * the PCI bus (by_bus.c). */
extern const bool device_by_id;

/* Prints an error and ends the process. */
__attribute__((noreturn, format(printf, 2, 3))) void device_die(const char *category, const char *format, ...);
/* Ends the process unless libttsim_init has been called and there is a chip. */
void device_expect_chip(const char *function);
/* Ends the process with the message of the chip. */
__attribute__((noreturn)) void device_fail(const bh_chip *chip, bh_status status);
void device_expect_system_ok(bh_status status); /* the same for the system, unless the status is BH_OK */
/* Runs the chip, or all chips. */
void device_run(uint64_t cycles);
/* Adds a chip with the settings of the environment, and returns it. Precondition: device.chips is set. */
bh_chip *device_add_chip(uint32_t id);

#endif
