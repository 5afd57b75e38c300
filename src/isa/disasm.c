/* Disassembly of one word of the instruction stream. RISC-V words have the low two bits 11; all others are Tensix
 * instructions, rotated left by two. BH:BabyRISCV/PushTensixInstruction.md */
#include "bhemu.h"
#include "isa/riscv.h"
#include "isa/tensix.h"
#include "isa/text.h"

#define TENSIX_TEXT_MAX 512 /* three times the longest text, which is that of a row with 13 fields */

static size_t tensix_in_stream_text(uint32_t word, char *text, size_t size) {
    struct text out = text_init(text, size);
    char instruction[TENSIX_TEXT_MAX];
    if (tensix_decode(word)) {
        tensix_disasm(word, instruction, sizeof instruction);
        text_put(&out, ".ttinsn %s", instruction);
    } else {
        text_put(&out, ".ttinsn 0x%08x", (unsigned)word);
    }
    return out.length;
}

size_t bh_disassemble(uint32_t pc, uint32_t word, char *text, size_t size) {
    size = text ? size : 0;
    if (!tensix_in_stream(word))
        return riscv_disasm(pc, word, text, size);
    return tensix_in_stream_text(tensix_from_stream(word), text, size);
}
