/* Loads programs into tiles. Segments for L1 are written at once, segments for local memory when the core leaves reset:
 * a core clears its local memory at that moment (SoftReset.md), so bytes written earlier would be lost. */
#include <string.h>

#include "host/elf.h"
#include "host/host.h"

struct program {
    bh_chip *chip;
    struct bh_xy at;
    struct tile *tile;
    enum bh_core core;
};

static bh_status open_program(struct program *program) {
    if ((unsigned)program->core >= BH_CORE_COUNT)
        return chip_fail(program->chip, BH_ERR_ARGUMENT, "core %d: there are %d", (int)program->core, BH_CORE_COUNT);
    bh_status status = chip_tile(program->chip, program->at, &program->tile);
    if (status == BH_OK && !(tile_cores(program->tile) >> program->core & 1))
        status = chip_fail(program->chip, BH_ERR_ARGUMENT, "an Ethernet tile such as (%u,%u) has no core %d",
                           program->at.x, program->at.y, (int)program->core);
    return status;
}

static bool in_eth(const struct program *program) {
    return program->tile->kind == TILE_KIND_ETH;
}

/* ---- First pc --------------------------------------------------------------------------------------- */

static bh_status write_word(const struct program *program, uint64_t address, uint32_t value) {
    return bh_write(program->chip, program->at, address, &value, sizeof value);
}

static bh_status set_bits(const struct program *program, uint64_t address, uint32_t bits) {
    uint32_t value;
    bh_status status = bh_read(program->chip, program->at, address, &value, sizeof value);
    return status == BH_OK ? write_word(program, address, value | bits) : status;
}

static uint32_t encode_jal(uint32_t offset) {
    return (offset & 0xFF000) | (offset >> 11 & 1) << 20 | (offset >> 1 & 0x3FF) << 21 | (offset >> 20 & 1) << 31 |
           0x6F;
}

/* Writes the jump to the entry at address 0, where BRISC always starts: a direct jump up to 1 MiB, else one through
 * t0. */
static bh_status jump_at_zero(const struct program *program, uint32_t entry) {
    enum { JAL_REACH = 1 << 20, LUI_T0 = 0x2B7, JALR_T0 = 0x28067 };
    if (entry < JAL_REACH)
        return write_word(program, 0, encode_jal(entry));
    uint32_t low = entry & 0xFFF;
    bh_status status = write_word(program, 0, ((entry + 0x800) & 0xFFFFF000) | LUI_T0);
    return status == BH_OK ? write_word(program, 4, low << 20 | JALR_T0) : status;
}

/* Returns an error, before anything is written, if the core cannot start there. */
static bh_status check_start(const struct program *program, uint32_t entry) {
    if (in_eth(program) && entry == 0)
        return chip_fail(program->chip, BH_ERR_ADDRESS,
                         "a core of an Ethernet tile whose first pc is 0 stays in reset");
    return BH_OK;
}

static bh_status set_start(const struct program *program, uint32_t entry) {
    unsigned trisc = program->core - BH_TRISC0;
    bh_status status;
    if (in_eth(program))
        return write_word(program, eth_first_pc(program->core), entry);
    if (program->core == BH_BRISC)
        return entry ? jump_at_zero(program, entry) : BH_OK;
    if (program->core == BH_NCRISC) {
        status = write_word(program, (uint32_t)REG_AT_CONTROL_NCRISC_RESET_PC, entry);
        return status == BH_OK ? set_bits(program, (uint32_t)REG_AT_CONTROL_NCRISC_RESET_PC_OVERRIDE, 1) : status;
    }
    status = write_word(program, (uint32_t)REG_AT_CONTROL_TRISC0_RESET_PC + 4 * trisc, entry);
    return status == BH_OK ? set_bits(program, (uint32_t)REG_AT_CONTROL_TRISC_RESET_PC_OVERRIDE, 1u << trisc) : status;
}

/* Returns the number of L1 bytes that the jump to the entry occupies. */
static uint32_t start_bytes(const struct program *program, uint32_t entry) {
    if (program->core != BH_BRISC || entry == 0 || in_eth(program))
        return 0;
    return entry < 1u << 20 ? 4 : 8;
}

/* ---- Segments ---------------------------------------------------------------------------------------- */

static bool within(uint32_t address, uint32_t size, uint32_t base, uint32_t room) {
    return address >= base && address - base <= room && size <= room - (address - base);
}

static bool is_local(const struct program *program, const struct elf_segment *segment) {
    return within(segment->address, segment->memory_size, CORE_LDM_BASE, program->tile->core[program->core].ldm_size);
}

static bh_status check_segments(const struct program *program, const struct elf_image *image) {
    uint32_t taken = start_bytes(program, image->entry);
    bool has_entry = false;
    for (uint32_t i = 0; i < image->count; i++) {
        const struct elf_segment *s = &image->segment[i];
        bool in_l1 = within(s->address, s->memory_size, 0, tile_l1_size(program->tile));
        if (!in_l1 && !is_local(program, s))
            return chip_fail(program->chip, BH_ERR_ELF,
                             "ELF: 0x%x bytes at 0x%x fit neither L1 nor the local memory of %s (0x%x bytes)",
                             s->memory_size, s->address, core_name(&program->tile->core[program->core]),
                             program->tile->core[program->core].ldm_size);
        if (in_l1 && s->address < taken)
            return chip_fail(program->chip, BH_ERR_ELF,
                             "ELF: e_entry is 0x%x, but brisc starts at 0, where the file has bytes of its own",
                             image->entry);
        has_entry |= in_l1 && within(image->entry, 4, s->address, s->memory_size);
    }
    if (image->entry % 4 || !has_entry)
        return chip_fail(program->chip, BH_ERR_ELF, "ELF: e_entry 0x%x is not an aligned word of a segment in L1",
                         image->entry);
    return BH_OK;
}

static void put(uint8_t *memory, const struct elf_segment *segment, const uint8_t *file) {
    memcpy(memory, file + segment->offset, segment->file_size);
    memset(memory + segment->file_size, 0, segment->memory_size - segment->file_size);
}

static void stage(const struct program *program, const struct elf_segment *segment, const uint8_t *file) {
    uint8_t *local = program->chip->stage[program->tile->index] + program->core * CORE_LDM_MAX;
    put(local + (segment->address - CORE_LDM_BASE), segment, file);
    program->chip->staged[program->tile->index] |= (uint8_t)(1u << program->core);
}

static bh_status load_l1(const struct program *program, const struct elf_segment *segment, const uint8_t *file) {
    static const uint8_t zeros[4096];
    uint64_t at = segment->address;
    uint32_t left = segment->memory_size - segment->file_size;
    bh_status status = bh_write(program->chip, program->at, at, file + segment->offset, segment->file_size);
    for (at += segment->file_size; left && status == BH_OK;) {
        uint32_t size = left < sizeof zeros ? left : (uint32_t)sizeof zeros;
        status = bh_write(program->chip, program->at, at, zeros, size);
        at += size;
        left -= size;
    }
    return status;
}

static void grow(struct bh_image_info *info, uint32_t low, uint32_t high) {
    if (info->low == info->high)
        *info = (struct bh_image_info){ info->entry, low, high };
    if (low < info->low)
        info->low = low;
    if (high > info->high)
        info->high = high;
}

static bh_status load_segments(const struct program *program, const struct elf_image *image, const uint8_t *file,
                               struct bh_image_info *span) {
    program->chip->staged[program->tile->index] &= (uint8_t) ~(1u << program->core);
    memset(program->chip->stage[program->tile->index] + program->core * CORE_LDM_MAX, 0, CORE_LDM_MAX);
    for (uint32_t i = 0; i < image->count; i++) {
        const struct elf_segment *s = &image->segment[i];
        if (is_local(program, s)) {
            stage(program, s, file);
            continue;
        }
        bh_status status = load_l1(program, s, file);
        if (status != BH_OK)
            return status;
        grow(span, s->address, s->address + s->memory_size);
    }
    return BH_OK;
}

/* ---- Entry points ------------------------------------------------------------------------------------- */

bh_status bh_load_elf(bh_chip *chip, struct bh_xy tile, enum bh_core core, const void *image, size_t size,
                      struct bh_image_info *info) {
    if (!chip || !image)
        return chip_null(chip, "image");
    chip->host_changes++;
    struct program program = { .chip = chip, .at = tile, .core = core };
    struct elf_image elf;
    char message[160];
    bh_status status = open_program(&program);
    if (status != BH_OK)
        return status;
    if (!elf_read(&elf, image, size, message, sizeof message))
        return chip_fail(chip, BH_ERR_ELF, "%s", message);
    struct bh_image_info span = { .entry = elf.entry };
    status = check_segments(&program, &elf);
    if (status == BH_OK)
        status = check_start(&program, elf.entry);
    if (status == BH_OK)
        status = load_segments(&program, &elf, image, &span);
    if (status == BH_OK)
        status = set_start(&program, elf.entry);
    if (status == BH_OK && start_bytes(&program, elf.entry))
        grow(&span, 0, start_bytes(&program, elf.entry));
    if (status == BH_OK && info)
        *info = span;
    return status;
}

bh_status bh_load_raw(bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t address, const void *data,
                      size_t size) {
    if (!chip || (!data && size))
        return chip_null(chip, "data");
    struct program program = { .chip = chip, .at = tile, .core = core };
    bh_status status = open_program(&program);
    if (status != BH_OK)
        return status;
    if (address % 4)
        return chip_fail(chip, BH_ERR_ARGUMENT, "address 0x%x: instructions are aligned words", address);
    uint32_t room = tile_l1_size(program.tile);
    if (size == 0 || address >= room || size > room - address)
        return chip_fail(chip, BH_ERR_ADDRESS, "%zu bytes at 0x%x do not fit L1 (0x%x bytes)", size, address, room);
    if (address < start_bytes(&program, address))
        return chip_fail(chip, BH_ERR_ADDRESS, "address 0x%x: the jump that starts brisc is there", address);
    status = check_start(&program, address);
    if (status == BH_OK)
        status = bh_write(chip, tile, address, data, size);
    return status == BH_OK ? set_start(&program, address) : status;
}
