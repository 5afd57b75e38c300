/* Relocates kernels from their link address to the address at which they run: see kernel.h. tt-metal converts absolute
 * addresses of code into pc-relative ones instead; here the address is known, so that relocations are applied again.
 * Not handled: words in local memory that newer start-up code relocates itself. */
#include "launch/kernel.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/file.h"
#include "machine/addresses.h"

#define SEGMENTS 16

struct piece {
    struct segment segment;
    size_t offset; /* offset in the bytes of the kernel */
};

struct builder {
    const struct program *program;
    struct kernel *kernel;
    struct piece pieces[SEGMENTS];
    unsigned count;
    uint32_t shift;
    char *message;
    size_t message_size;
};

#define FAIL(b, ...) (snprintf((b)->message, (b)->message_size, __VA_ARGS__), false)

static bool in_l1(uint32_t address) {
    return address < L1_SIZE;
}

/* Places a segment in the bytes of the kernel: code at its distance from the first segment; contents of local memory
 * where the file stores them, or at the end. */
static bool place_segment(struct builder *b, const struct segment *s) {
    struct kernel *k = b->kernel;
    bool local = address_is_local(s->address);
    uint32_t at = local ? s->load_address : s->address;
    if (!local && !in_l1(s->address))
        return FAIL(b, "'%s' has a segment at 0x%x, which is neither L1 nor local memory", program_path(b->program),
                    s->address);
    if (b->count == 0)
        k->link = s->address;
    size_t offset = (k->size + 3) & ~(size_t)3;
    if (!local || (in_l1(at) && at >= k->link))
        offset = at - k->link;
    size_t size = local ? s->size : s->memory_size;
    if (at < k->link || size > L1_SIZE || offset > L1_SIZE || b->count == SEGMENTS || s->size > s->memory_size)
        return FAIL(b, "'%s' has segments that no kernel can have", program_path(b->program));
    b->pieces[b->count++] = (struct piece){ *s, offset };
    if (offset + size > k->size)
        k->size = offset + size;
    return true;
}

static bool place_all(struct builder *b) {
    struct segment s;
    for (size_t i = 0; program_segment(b->program, i, &s); i++)
        if ((!address_is_local(s.address) || s.size) && !place_segment(b, &s))
            return false;
    if (b->count == 0 || address_is_local(b->pieces[0].segment.address))
        return FAIL(b, "'%s' has no code in L1", program_path(b->program));
    if (program_entry(b->program) != b->kernel->link)
        return FAIL(b, "'%s' begins at 0x%x but is entered at 0x%x; firmware calls the first byte of a kernel",
                    program_path(b->program), b->kernel->link, program_entry(b->program));
    return true;
}

/* Returns the bytes of the kernel for an address of the file, or NULL if the kernel has none there. */
static uint8_t *bytes_at(struct builder *b, uint32_t address) {
    for (unsigned i = 0; i < b->count; i++) {
        const struct segment *s = &b->pieces[i].segment;
        if (address >= s->address && s->size >= 4 && address - s->address <= s->size - 4)
            return b->kernel->bytes + b->pieces[i].offset + (address - s->address);
    }
    return NULL;
}

/* Returns whether the target of a relocation moves with the kernel. The end address of the code counts as part of the
 * code. */
static bool moves(const struct builder *b, const struct relocation *r) {
    for (unsigned i = 0; r->target_in_section && i < b->count; i++) {
        const struct segment *s = &b->pieces[i].segment;
        if (in_l1(s->address) && r->target >= s->address && r->target - s->address <= s->memory_size)
            return true;
    }
    return false;
}

static void put_high(uint8_t *at, uint32_t value) {
    put_word(at, (word_at(at) & 0xFFF) | ((value + 0x800) & 0xFFFFF000));
}

static void put_low_i(uint8_t *at, uint32_t value) {
    put_word(at, (word_at(at) & 0x000FFFFF) | value << 20);
}

static void put_low_s(uint8_t *at, uint32_t value) {
    put_word(at, (word_at(at) & 0x01FFF07F) | (value >> 5 & 0x7F) << 25 | (value & 0x1F) << 7);
}

/* Returns true, and the new distance in *value, if the target of the auipc at an address does not move with the kernel.
 * Returns false if the auipc needs no change. */
static bool far_target(struct builder *b, uint32_t address, uint32_t *value) {
    struct relocation r;
    for (size_t i = 0; program_relocation(b->program, i, &r); i++) {
        if (r.address != address || r.type != R_RISCV_PCREL_HI20)
            continue;
        *value = r.target - (r.address + b->shift);
        return !moves(b, &r);
    }
    return false;
}

static bool apply(struct builder *b, const struct relocation *r) {
    uint8_t *at = bytes_at(b, r->address);
    uint32_t value = r->target + b->shift;
    if (!at)
        return true;
    switch (r->type) {
    case R_RISCV_32:
        if (moves(b, r))
            put_word(at, value);
        break;
    case R_RISCV_HI20:
        if (moves(b, r))
            put_high(at, value);
        break;
    case R_RISCV_LO12_I:
        if (moves(b, r))
            put_low_i(at, value);
        break;
    case R_RISCV_LO12_S:
        if (moves(b, r))
            put_low_s(at, value);
        break;
    case R_RISCV_PCREL_HI20:
        if (far_target(b, r->address, &value))
            put_high(at, value);
        break;
    case R_RISCV_PCREL_LO12_I:
        if (far_target(b, r->target, &value))
            put_low_i(at, value);
        break;
    case R_RISCV_PCREL_LO12_S:
        if (far_target(b, r->target, &value))
            put_low_s(at, value);
        break;
    case R_RISCV_JAL:
    case R_RISCV_CALL:
    case R_RISCV_CALL_PLT:
        if (!moves(b, r))
            return FAIL(b, "'%s': the call at 0x%x goes outside of the kernel", program_path(b->program), r->address);
        break;
    default: break;
    }
    return true;
}

static bool apply_all(struct builder *b) {
    struct relocation r;
    size_t i = 0;
    for (; program_relocation(b->program, i, &r); i++)
        if (!apply(b, &r))
            return false;
    if (i == 0 && b->shift)
        return FAIL(b, "'%s' was linked for 0x%x and cannot be moved to 0x%x: link it with --emit-relocs",
                    program_path(b->program), b->kernel->link, b->kernel->link + b->shift);
    return true;
}

static bool copy(struct builder *b, const uint8_t *raw) {
    b->kernel->bytes = calloc(1, b->kernel->size + 4);
    if (!b->kernel->bytes)
        return FAIL(b, "out of memory");
    if (raw)
        memcpy(b->kernel->bytes, raw, b->kernel->size);
    for (unsigned i = 0; i < b->count; i++)
        memcpy(b->kernel->bytes + b->pieces[i].offset, b->pieces[i].segment.data, b->pieces[i].segment.size);
    return true;
}

bool kernel_make(const struct program *program, uint32_t run, struct kernel *kernel, char *message, size_t size) {
    struct builder b = { .program = program, .kernel = kernel, .message = message, .message_size = size };
    uint32_t address;
    *kernel = (struct kernel){ 0 };
    if (program_is_raw(program, &address)) {
        const uint8_t *raw = program_bytes(program, &kernel->size);
        if (kernel->size > L1_SIZE)
            return FAIL(&b, "'%s' is larger than L1", program_path(program));
        return copy(&b, raw);
    }
    if (!place_all(&b) || !copy(&b, NULL))
        return false;
    b.shift = run - kernel->link;
    if (apply_all(&b))
        return true;
    free(kernel->bytes);
    kernel->bytes = NULL;
    return false;
}
