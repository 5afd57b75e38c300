/* The addresses of regions and registers in the address space of the cores, from the emulator's own tables:
 *
 *     MAP_<region>     the start of a range; docs/registers.md lists them, and the cores that see each (isa/memmap.def)
 *     REG_<register>   a register of TDMA-RISC or of tile control, by the names there (isa/regs.def)
 *
 * Include path: this folder and the one that contains isa/memmap.def. */
#ifndef BHEMU_GUEST_MEMORY_MAP_H
#define BHEMU_GUEST_MEMORY_MAP_H

/* __extension__: addresses do not fit into an int, as enumerators must in strict C17. */
#define REGION(id, base, size, name, seen_by, kind, unit, latency) __extension__ enum { MAP_##id = (base) };
#include "isa/memmap.def"

#define REG(block, offset, name, class, reset, meaning) __extension__ enum { REG_##name = MAP_##block + (offset) };
#define REG_ALIAS(block, offset, name, of)              __extension__ enum { REG_##name = MAP_##block + (offset) };
#include "isa/regs.def"

#endif
