/* Atomic operations of NoC requests on 16 aligned bytes of L1 (BlackholeA0/NoC/Atomics.md).
 *
 * AT_LEN_BE:  15..12   11..8    7..0
 *                 1             IntWidth[6:2] Ofs[1:0]             increment the low IntWidth + 1 bits
 *                 3             Mask[9:2]                          swap halfwords
 *                 4             SetVal[9:6] CmpVal[5:2] Ofs[1:0]   compare and swap
 *                 6             1[2] Ofs[1:0]                      swap a word
 *                 7             Ofs[3:2]                           swap a word
 *                 9             Fmt[3:0]                           add to all lanes
 *                10    0 3      Ofs[1:0]                           swap a word
 *                10    1 Op     Ofs[1:0]                           Zaamo: add xor or and min max minu maxu
 */
#ifndef NOC_ATOMIC_H
#define NOC_ATOMIC_H

#include <stdint.h>

/* Returns the reason why the operation is refused, or NULL if it is not. */
const char *atomic_check(uint32_t at_len_be);
/* Applies a checked operation to the 16 bytes. Returns the old value of the word at `address`, of which only bits 3:2
 * matter. */
uint32_t atomic_do(uint32_t at_len_be, uint32_t data, uint32_t address, uint8_t line[16]);

#endif
