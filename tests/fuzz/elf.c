/* Fuzzer of the ELF reader and of loading: whatever the bytes, no access outside the file, and accepted segments lie
 * inside it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu.h"
#include "host/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "fuzz elf: %s\n", what);
    abort();
}

static bh_chip *chip;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct elf_image image;
    struct bh_image_info info;
    char message[64] = "";
    struct bh_config config;
    bh_config_init(&config);
    if (!chip && bh_create(&config, &chip, NULL, 0) != BH_OK)
        abort();
    bool read = elf_read(&image, data, size, message, sizeof message);
    check(read || strncmp(message, "ELF: ", 5) == 0, "a refusal without a message");
    for (uint32_t i = 0; read && i < image.count; i++) {
        const struct elf_segment *s = &image.segment[i];
        check(s->offset <= size && s->file_size <= size - s->offset, "a segment outside the file");
        check(s->file_size <= s->memory_size && s->memory_size != 0, "a segment larger in the file than in memory");
        check((uint64_t)s->address + s->memory_size <= UINT64_C(1) << 32, "a segment that wraps");
    }
    for (enum bh_core core = BH_BRISC; core <= BH_TRISC0; core++) {
        bh_status status = bh_load_elf(chip, (struct bh_xy){ 1, 2 }, core, data, size, &info);
        check(status == BH_OK || (status == BH_ERR_ELF && *bh_message(chip)), "a status that is neither OK nor ELF");
        check(status != BH_OK || (read && info.low < info.high && info.high <= 0x180000), "a span outside L1");
    }
    return 0;
}
