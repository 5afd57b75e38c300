/* Fuzzes the disassembler: any word at any address gives a short line of plain text, cut where the buffer ends. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu.h"

static void one_word(uint32_t pc, uint32_t word) {
    char whole[512], part[16];
    size_t length = bh_disassemble(pc, word, whole, sizeof whole);
    if (length == 0 || length >= sizeof whole || strlen(whole) != length)
        abort();
    for (size_t i = 0; i < length; i++)
        if (whole[i] < 0x20 || whole[i] > 0x7E)
            abort();
    memset(part, 'x', sizeof part);
    if (bh_disassemble(pc, word, part, sizeof part - 1) != length || part[sizeof part - 1] != 'x')
        abort();
    if (strncmp(part, whole, sizeof part - 2) != 0 || bh_disassemble(pc, word, NULL, 0) != length)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (size_t i = 0; i + 4 <= size && i < 256; i += 4) {
        uint32_t word;
        memcpy(&word, data + i, sizeof word);
        one_word((uint32_t)i * 0x01010101u, word);
    }
    return 0;
}
