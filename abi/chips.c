/* Several chips in one library: see chips.h. */
#include "chips.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/file.h"

static const uint64_t bar_size[CHIPS_BARS] = { UINT64_C(512) << 20, UINT64_C(1) << 20, UINT64_C(32) << 30 };

enum { CONFIG_BAR0 = 0x10, BAR_BYTES = 8 };

static uint64_t read_bar(bh_chip *chip, unsigned bar) {
    uint32_t low = 0, high = 0;
    (void)bh_pci_config_read(chip, CONFIG_BAR0 + BAR_BYTES * bar, &low);
    (void)bh_pci_config_read(chip, CONFIG_BAR0 + BAR_BYTES * bar + 4, &high);
    return ((uint64_t)high << 32 | low) & ~UINT64_C(15);
}

void chips_note_bars(struct chips *chips, unsigned number) {
    for (unsigned i = 0; i < CHIPS_BARS; i++)
        chips->base[number][i] = read_bar(chips->chip[number], i);
}

static void place(struct chips *chips, unsigned number) {
    uint32_t first = (uint32_t)((uint64_t)number << CHIPS_SHIFT >> 32);
    for (unsigned i = 0; i < CHIPS_BARS; i++) {
        uint32_t high = (uint32_t)(read_bar(chips->chip[number], i) >> 32) + first;
        (void)bh_pci_config_write(chips->chip[number], CONFIG_BAR0 + BAR_BYTES * i + 4, high);
    }
    chips_note_bars(chips, number);
}

void chips_place(struct chips *chips) {
    for (unsigned i = 0; i < CHIPS_MAX && chips->chip[i]; i++)
        place(chips, i);
}

static bool contains(const struct chips *chips, unsigned number, uint64_t address) {
    for (unsigned i = 0; i < CHIPS_BARS; i++)
        if (address - chips->base[number][i] < bar_size[i])
            return chips->chip[number];
    return false;
}

bh_chip *chips_at(const struct chips *chips, uint64_t address) {
    uint64_t first = address >> CHIPS_SHIFT;
    if (first < CHIPS_MAX && contains(chips, (unsigned)first, address))
        return chips->chip[first];
    for (unsigned i = 0; i < CHIPS_MAX; i++)
        if (contains(chips, i, address))
            return chips->chip[i];
    return NULL;
}

unsigned chips_number(const struct chips *chips, const void *chip) {
    unsigned number = 0;
    while (number < CHIPS_MAX && (!chip || chips->chip[number] != chip))
        number++;
    return number;
}

/* ---- Opening and closing ---------------------------------------------------------------------------------------- */

/* Adds the chips of the kind of system with this name. Returns false if there is no such kind. */
static bool add_machine(bh_system *system, const char *name, bh_status *status) {
    for (int kind = 0; kind < BH_SYSTEM_KIND_COUNT; kind++)
        if (strcmp(name, bh_system_kind_name((enum bh_system_kind)kind)) == 0) {
            *status = bh_system_add(system, (enum bh_system_kind)kind);
            return true;
        }
    return false;
}

static bool name_machines(const char *why, char *message, size_t size) {
    size_t used = (size_t)snprintf(message, size, "the name of no machine");
    for (int kind = 0; kind < BH_SYSTEM_KIND_COUNT && used < size; kind++)
        used += (size_t)snprintf(message + used, size - used, "%s%s", kind ? ", " : " (",
                                 bh_system_kind_name((enum bh_system_kind)kind));
    if (used < size)
        snprintf(message + used, size - used, "), and as a file: %s", why);
    return false;
}

static bool describe(bh_system *system, const char *name, char *message, size_t size) {
    char why[200];
    bh_status status;
    size_t length;
    if (!add_machine(system, name, &status)) {
        char *text = (char *)file_read(span_of(name), &length, why, sizeof why);
        if (!text)
            return name_machines(why, message, size);
        status = bh_system_describe(system, text, length);
        free(text);
    }
    if (status != BH_OK)
        snprintf(message, size, "%s", bh_system_message(system));
    return status == BH_OK;
}

bh_chip *chips_show(struct chips *chips, unsigned number) {
    return chips->chip[number] = bh_system_chip(chips->system, number);
}

/* Takes the chips of the system as devices of the bus. */
static bool take_chips(struct chips *chips, char *message, size_t size) {
    unsigned count = bh_system_chip_count(chips->system);
    if (count > CHIPS_MAX) {
        snprintf(message, size, "%u chips; at most %d are possible, the devices of a PCI bus", count, CHIPS_MAX);
        return false;
    }
    for (unsigned i = 0; i < count; i++)
        (void)chips_show(chips, i);
    return true;
}

struct chips *chips_open(const char *name, const struct bh_config *defaults, unsigned threads, char *message,
                         size_t size) {
    struct chips *chips = calloc(1, sizeof *chips);
    bool ok = chips && bh_system_create(&chips->system) == BH_OK;
    if (!ok)
        snprintf(message, size, "out of memory");
    if (ok) {
        (void)bh_system_defaults(chips->system, defaults);
        (void)bh_system_threads(chips->system, threads);
        ok = (!*name || describe(chips->system, name, message, size)) && take_chips(chips, message, size);
    }
    if (ok) {
        chips->described = *name;
        return chips;
    }
    chips_close(chips);
    return NULL;
}

void chips_close(struct chips *chips) {
    if (chips)
        bh_system_destroy(chips->system);
    free(chips);
}
