/* Runs test programs (env/riscv_test.h) one by one on each of the five cores of a tile.
 *
 *     elf_runner LIBRARY PROGRAM.elf...
 *
 * Prints what fails and a closing line; the exit status says whether everything passed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"
#include "support/image.h"
#include "support/rv.h"

enum { RESULT = 0x40, PASS = 1, CLOCKS_A_STEP = 100, STEPS = 200, TIME_LIMIT = 60 };

struct job {
    const char *library;
    const struct image *image;
    unsigned core;
    uint32_t verdict; /* answered */
};

static int run_job(void *argument) {
    struct job *job = argument;
    struct device *device = device_open(job->library);
    struct device_tile tile = device_tile(0);
    if (!device)
        return 1;
    uint32_t entry = image_entry(job->image), start = device_core_start[job->core];
    if (!image_load(device, tile, job->image)) {
        printf("malformed ELF file\n");
        return 1;
    }
    device_write32(device, tile, start, rv_jal(0, (int32_t)(entry - start)));
    device_release(device, tile, 1u << job->core);
    for (unsigned step = 0; step < STEPS && job->verdict == 0; step++) {
        device_clock(device, CLOCKS_A_STEP);
        job->verdict = device_read32(device, tile, RESULT);
    }
    device_close(device);
    return 0;
}

/* False, with the reason printed, if the program does not pass on this core. */
static bool run(const char *library, const char *name, const struct image *image, unsigned core) {
    struct job *job = device_shared(sizeof *job);
    *job = (struct job){ .library = library, .image = image, .core = core };
    struct device_outcome outcome = device_spawn(run_job, job, TIME_LIMIT);
    bool pass = outcome.ok && job->verdict == PASS;
    if (!outcome.ok)
        printf("%s on %s: %s\n", name, device_core_name[core], outcome.text);
    else if (job->verdict == 0)
        printf("%s on %s: does not end\n", name, device_core_name[core]);
    else if (!pass)
        printf("%s on %s: case %u fails\n", name, device_core_name[core], job->verdict >> 1);
    device_unshare(job, sizeof *job);
    return pass;
}

int main(int argc, char **argv) {
    unsigned passed = 0, failed = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: elf_runner LIBRARY PROGRAM.elf...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/'), *name = slash ? slash + 1 : argv[i];
        struct image image;
        if (!image_read(argv[i], &image)) {
            printf("%s: cannot be read, or is no 32-bit ELF file\n", name);
            failed++;
        } else {
            for (unsigned core = 0; core < DEVICE_CORES; core++)
                if (run(argv[1], name, &image, core))
                    passed++;
                else
                    failed++;
        }
        free(image.bytes);
    }
    printf("%d programs on %d cores: %u pass, %u fail\n", argc - 2, DEVICE_CORES, passed, failed);
    return failed || !passed;
}
