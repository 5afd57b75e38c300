#include "machine.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/image.h"

void machine_fail(struct machine *machine, const char *what) {
    fprintf(stderr, "%s\n%s", what, machine->report(machine));
    printf("%s\n", what);
    fflush(NULL);
    exit(1); /* a library behind the ABI ends its session: BHEMU_CHECK reports */
}

uint32_t machine_read32(struct machine *machine, unsigned x, unsigned y, uint64_t address) {
    uint32_t value = 0;
    machine->read(machine, x, y, address, &value, sizeof value);
    return value;
}

void machine_write32(struct machine *machine, unsigned x, unsigned y, uint64_t address, uint32_t value) {
    machine->write(machine, x, y, address, &value, sizeof value);
}

struct target {
    struct machine *machine;
    unsigned x, y;
};

static void load_part(void *user, uint32_t address, const void *data, size_t size) {
    const struct target *target = user;
    target->machine->write(target->machine, target->x, target->y, address, data, size);
}

bool machine_load(struct machine *machine, unsigned x, unsigned y, const char *file) {
    struct target target = { machine, x, y };
    struct image image;
    bool ok = image_read(file, &image) && image_each(&image, load_part, &target);
    image_free(&image);
    return ok;
}
