/* TTSIM_SEMIHOSTING=1: answers the calls that a program on BRISC makes to the host with ecall, by newlib's numbers.
 *
 *     a7    arguments                      effect
 *     57    a0 descriptor 0..2             none
 *     64    a0 1, 2; a1 bytes; a2 size     writes to stdout or stderr
 *     80    a0 1; a1 buffer                writes 112 bytes of zeros: newlib takes them for a character device
 *     93    a0 0..255                      ends the process with this status
 *     214                                  a0 = 0: there is no heap
 *
 * A call is answered at the end of the epoch in which it was made. Any other call ends the process with an error. */
#include "semihosting.h"

#include <stdio.h>

#include "machine/addresses.h"

enum { A0 = 10, A1 = 11, A2 = 12, A7 = 17, ECALL = 0x73 };
enum { CALL_CLOSE = 57, CALL_WRITE = 64, CALL_FSTAT = 80, CALL_EXIT = 93, CALL_BRK = 214 };
enum { STAT_SIZE = 112 };

#define UNSUPPORTED   "UnsupportedFunctionality"
#define UNIMPLEMENTED "UnimplementedFunctionality"

struct call {
    bh_chip *chip;
    struct bh_xy tile;
    uint32_t number, argument[3];
};

static uint32_t reg(const struct call *call, unsigned number) {
    uint32_t value = 0;
    (void)bh_core_get(call->chip, call->tile, BH_BRISC, number, &value);
    return value;
}

/* Returns the address of a byte on the NoC, where BRISC's own address of local memory is not mapped. */
static uint64_t by_noc(uint32_t address) {
    return address_from_outside(BH_BRISC, address);
}

static bool write_out(const struct call *call) {
    FILE *file = call->argument[0] == 1 ? stdout : stderr;
    for (uint32_t i = 0; i < call->argument[2]; i++) {
        uint64_t at = by_noc(call->argument[1] + i);
        uint8_t word[4];
        if (bh_peek(call->chip, call->tile, at & ~UINT64_C(3), word, sizeof word) != BH_OK)
            return false;
        fputc(word[at % 4], file);
    }
    return true;
}

static bool clear(const struct call *call, uint32_t address, uint32_t size) {
    static const uint8_t zeros[STAT_SIZE];
    return bh_poke(call->chip, call->tile, by_noc(address), zeros, size) == BH_OK;
}

static const char the_end[] = "the program ends";
static const char bad_access[] = "it names memory that BRISC does not have";

/* Carries out a call. Returns NULL; or the_end, if the program ends the process; or the reason for a failure, and its
 * *category. */
static const char *answer(const struct call *call, uint32_t *result, const char **category) {
    const uint32_t *argument = call->argument;
    *result = 0;
    *category = UNIMPLEMENTED;
    switch (call->number) {
    case CALL_CLOSE: return argument[0] <= 2 ? NULL : "close of a file that is not open";
    case CALL_WRITE:
        if (argument[0] != 1 && argument[0] != 2)
            return "write to a file that is neither stdout nor stderr";
        *result = argument[2];
        return write_out(call) ? NULL : bad_access;
    case CALL_FSTAT:
        if (argument[0] != 1)
            return "fstat of a file that is not stdout";
        return clear(call, argument[1], STAT_SIZE) ? NULL : bad_access;
    case CALL_BRK: return NULL;
    case CALL_EXIT:
        if (argument[0] <= 255)
            return the_end;
        *category = "UndefinedBehavior";
        return "exit with a status above 255";
    default: return "there is no such semihosting call";
    }
}

static bool has_called(bh_chip *chip, struct bh_xy tile, enum bh_core core) {
    struct bh_core_info info;
    uint32_t word = 0;
    return bh_core_query(chip, tile, core, &info) == BH_OK && info.state == BH_CORE_PAUSED && info.pc >= 4 &&
           bh_peek(chip, tile, info.pc - 4, &word, sizeof word) == BH_OK && word == ECALL;
}

static bool serve_brisc(bh_chip *chip, struct bh_xy tile, struct semihosting_error *error) {
    struct call call = { .chip = chip, .tile = tile };
    uint32_t result;
    call.number = reg(&call, A7);
    for (unsigned i = 0; i < 3; i++)
        call.argument[i] = reg(&call, A0 + i);
    *error = (struct semihosting_error){ .tile = tile, .number = call.number, .status = -1 };
    error->why = answer(&call, &result, &error->category);
    if (error->why == the_end)
        error->status = (int)call.argument[0];
    if (error->why)
        return false;
    (void)bh_core_set(chip, tile, BH_BRISC, A0, result);
    (void)bh_core_resume(chip, tile, BH_BRISC);
    return true;
}

static bool serve_tile(bh_chip *chip, struct bh_xy tile, struct semihosting_error *error) {
    for (unsigned core = BH_BRISC + 1; core < BH_CORE_COUNT; core++)
        if (has_called(chip, tile, (enum bh_core)core)) {
            *error = (struct semihosting_error){ UNSUPPORTED, "only BRISC has semihosting", tile, 0, -1 };
            return false;
        }
    return !has_called(chip, tile, BH_BRISC) || serve_brisc(chip, tile, error);
}

bool semihosting_serve(bh_chip *chip, struct semihosting_error *error) {
    struct bh_tile_info info;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        if (info.kind == BH_TILE_TENSIX && !info.harvested && !serve_tile(chip, info.translated, error))
            return false;
    return true;
}
