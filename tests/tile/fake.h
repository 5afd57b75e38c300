/* A tile whose cores and scheduler are fakes that note what is asked of them. */
#ifndef TESTS_TILE_FAKE_H
#define TESTS_TILE_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tile/tile.h"

struct fake {
    struct tile tile;
    uint8_t l1[CORE_L1_SIZE];
    uint8_t marks[TILE_MARKS]; /* all set */

    unsigned events, awakes, faults; /* how often */
    uint64_t event_time;
    uint32_t written_address, written_size; /* of the last tile_l1_notify */
    struct bh_fault fault;                  /* the last one, as the chip hears of it */
    struct fake_core {
        unsigned held, released, interrupted;
        uint32_t pc;
        uint64_t time;
        bool keep_ldm;
    } core[BH_CORE_COUNT];
};

extern struct fake fake;

/* A tile at power-on, at (3,4), physically (2,5), time 1000. For use as cmocka setup. */
int fake_setup(void **state);

/* Accesses of a core; loads and stores of words unless a size is given. */
enum bus_result load(unsigned core, uint32_t address, uint32_t *value);
enum bus_result load_size(unsigned core, uint32_t address, unsigned size, uint32_t *value);
enum bus_result store(unsigned core, uint32_t address, uint32_t value);
enum bus_result store_size(unsigned core, uint32_t address, unsigned size, uint32_t value);
/* The value of a load that must succeed. */
uint32_t loaded(unsigned core, uint32_t address);

#endif
