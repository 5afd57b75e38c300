/* PACR_SETREG: writes a register of the tile after the PACRs before it are done, and empties the packer's buffers.
 *
 *     ModeSel 0   writes if Push and Flush are set; address 0xFFB << 20 | two bits of the base << 18 | StreamId << 12 |
 *                 ten more bits of the base << 2; AddrSel chooses the base, of which TDMA-RISC sets 0 and 1
 *     ModeSel 1   sets half of the 32 bits that later instructions write: bit 2 selects the half, 18:3 is its value
 *
 * On Wormhole the value is in the word, and a part of it is scaled; Blackhole does not use those bits, so the scalers
 * of TDMA-RISC have no effect here. Bases 2 and 3 and DisableStall are not documented. Sources: PACR_SETREG.md,
 * TDMA-RISC.md (WH); assembly.yaml of tt-llk for Blackhole. */
#include "isa/memmap.h"
#include "tensix/tensix.h"

#define SETREG_BASE 0xFFB00000u
#define SETREG_END  0xFFB80000u

enum { BASES = 2 };

static uint32_t address_of(const struct packer *packer, struct tensix_PACR_SETREG op) {
    return SETREG_BASE + packer->set_reg_base[op.AddrSel % BASES] + (op.StreamId << 12);
}

void pack_set_half(struct pack *pack, uint32_t word) {
    unsigned shift = word >> 2 & 1 ? 16 : 0;
    pack->register_data = (pack->register_data & ~(0xFFFFu << shift)) | (word >> 3 & 0xFFFF) << shift;
}

/* Returns false if the register cannot be written yet. Faults, and returns true, if it never can. */
static bool write_register(struct tensix *x, const struct pack_job *job, uint64_t now) {
    uint32_t address = address_of(&x->packer, tensix_decode_PACR_SETREG(job->word));
    if (address >= SETREG_END)
        return true;
    if (address < memmap[MEMMAP_ROW_TDMA].base) {
        tensix_fault(x, job->thread, BH_FAULT_UNDEFINED, job->word, address, now,
                     "address 0x%08x is below 0x%08x, the first register that the packer reaches", address,
                     memmap[MEMMAP_ROW_TDMA].base);
        return true;
    }
    struct access access = x->port->write(x->owner, address, now, x->pack.register_data);
    if (access.result == ACCESS_WAIT)
        return false;
    if (access.result != ACCESS_DONE)
        tensix_fault(x, job->thread, access.kind, job->word, address, now, "address 0x%08x: %s", address, access.text);
    return true;
}

bool pack_write_register(struct tensix *x, const struct pack_job *job, uint64_t now) {
    struct tensix_PACR_SETREG op = tensix_decode_PACR_SETREG(job->word);
    if (op.Push && op.Flush && !write_register(x, job, now))
        return false;
    if (op.Flush)
        pack_empty(x, job, now);
    return true;
}

uint64_t execute_PACR_SETREG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    struct tensix_PACR_SETREG op = tensix_decode_PACR_SETREG(word);
    uint64_t again = pack_enter(x, thread, now);
    if (again)
        return again;
    if (!op.ModeSel && op.DisableStall)
        return tensix_fault(x, thread, BH_FAULT_UNMODELLED, word, 0, now,
                            "DisableStall: no document says what overtakes it");
    if (!op.ModeSel && op.AddrSel >= BASES)
        return tensix_fault(x, thread, BH_FAULT_UNMODELLED, word, 0, now,
                            "AddrSel: no document says who sets the bases 2 and 3");
    struct pack_job *job = pack_job_at(&x->pack, x->pack.count);
    *job = (struct pack_job){
        .word = word,
        .task = op.ModeSel ? PACK_HALF : PACK_REGISTER,
        .thread = (uint8_t)thread,
    };
    pack_queue_register(x, job, now);
    return TENSIX_PASSED;
}
