/* A bounds-checked reader of ELF32 RISC-V executables: see elf.h. */
#include <stdarg.h>
#include <string.h>

#include "base/line.h"
#include "host/elf.h"

/* The file header, 52 bytes: offsets of the fields that matter. */
enum {
    EI_CLASS = 4,
    EI_DATA = 5,
    EI_VERSION = 6,
    E_TYPE = 16,      /* 16 bits */
    E_MACHINE = 18,   /* 16 bits */
    E_VERSION = 20,   /* 32 bits */
    E_ENTRY = 24,     /* 32 bits */
    E_PHOFF = 28,     /* 32 bits */
    E_PHENTSIZE = 42, /* 16 bits */
    E_PHNUM = 44,     /* 16 bits */
    EHDR_SIZE = 52,

    ELFCLASS32 = 1,
    ELFDATA2LSB = 1,
    EV_CURRENT = 1,
    ET_EXEC = 2,
    EM_RISCV = 243,
};

/* A program header, 32 bytes of 32-bit fields. */
enum { P_TYPE = 0, P_OFFSET = 4, P_VADDR = 8, P_PADDR = 12, P_FILESZ = 16, P_MEMSZ = 20, PHDR_SIZE = 32, PT_LOAD = 1 };

struct reader {
    const uint8_t *bytes;
    size_t size;
    char *message;
    size_t message_size;
};

static uint32_t get16(const uint8_t *at) {
    return (uint32_t)(at[0] | at[1] << 8);
}

static uint32_t get32(const uint8_t *at) {
    return get16(at) | get16(at + 2) << 16;
}

__attribute__((format(printf, 2, 3))) static bool fail(const struct reader *in, const char *format, ...) {
    va_list args;
    va_start(args, format);
    line_put_list(in->message, in->message_size, format, args);
    va_end(args);
    return false;
}

static bool check_header(const struct reader *in) {
    const uint8_t *b = in->bytes;
    if (in->size < EHDR_SIZE)
        return fail(in, "ELF: %zu bytes are too few for a file header", in->size);
    if (memcmp(b, "\177ELF", 4) != 0)
        return fail(in, "ELF: e_ident: bad magic %02x %02x %02x %02x", b[0], b[1], b[2], b[3]);
    if (b[EI_CLASS] != ELFCLASS32)
        return fail(in, "ELF: EI_CLASS is %u, the cores are 32-bit (1)", b[EI_CLASS]);
    if (b[EI_DATA] != ELFDATA2LSB)
        return fail(in, "ELF: EI_DATA is %u, the cores are little-endian (1)", b[EI_DATA]);
    if (b[EI_VERSION] != EV_CURRENT || get32(b + E_VERSION) != EV_CURRENT)
        return fail(in, "ELF: EI_VERSION is %u and e_version %u, not 1", b[EI_VERSION], (unsigned)get32(b + E_VERSION));
    if (get16(b + E_TYPE) != ET_EXEC)
        return fail(in, "ELF: e_type is %u, not an executable (2)", (unsigned)get16(b + E_TYPE));
    if (get16(b + E_MACHINE) != EM_RISCV)
        return fail(in, "ELF: e_machine is %u, not RISC-V (243)", (unsigned)get16(b + E_MACHINE));
    return true;
}

static bool check_table(const struct reader *in) {
    uint32_t offset = get32(in->bytes + E_PHOFF);
    uint32_t count = get16(in->bytes + E_PHNUM);
    if (count == 0)
        return fail(in, "ELF: e_phnum is 0: nothing to load");
    if (get16(in->bytes + E_PHENTSIZE) != PHDR_SIZE)
        return fail(in, "ELF: e_phentsize is %u, not 32", (unsigned)get16(in->bytes + E_PHENTSIZE));
    if (offset > in->size || count * PHDR_SIZE > in->size - offset)
        return fail(in, "ELF: e_phoff 0x%x: %u program headers reach past the end of the file", offset, count);
    return true;
}

static bool read_segment(const struct reader *in, const uint8_t *header, unsigned number, struct elf_segment *segment) {
    *segment = (struct elf_segment){
        .address = get32(header + P_PADDR),
        .virtual_address = get32(header + P_VADDR),
        .offset = get32(header + P_OFFSET),
        .file_size = get32(header + P_FILESZ),
        .memory_size = get32(header + P_MEMSZ),
    };
    if (segment->file_size > segment->memory_size)
        return fail(in, "ELF: segment %u: p_filesz 0x%x is larger than p_memsz 0x%x", number, segment->file_size,
                    segment->memory_size);
    if (segment->offset > in->size || segment->file_size > in->size - segment->offset)
        return fail(in, "ELF: segment %u: p_offset 0x%x with p_filesz 0x%x reaches past the end of the file", number,
                    segment->offset, segment->file_size);
    return true;
}

static bool check_wrap(const struct reader *in, const struct elf_image *image) {
    for (uint32_t i = 0; i < image->count; i++) {
        const struct elf_segment *s = &image->segment[i];
        if (s->memory_size - 1 > UINT32_MAX - s->address)
            return fail(in, "ELF: p_memsz 0x%x at address 0x%x wraps around the address space", s->memory_size,
                        s->address);
    }
    return true;
}

bool elf_read(struct elf_image *image, const void *file, size_t size, char *message, size_t message_size) {
    struct reader in = { file, size, message, message_size };
    bool physical = false;
    if (!check_header(&in) || !check_table(&in))
        return false;
    *image = (struct elf_image){ .entry = get32(in.bytes + E_ENTRY) };
    const uint8_t *header = in.bytes + get32(in.bytes + E_PHOFF);
    for (uint32_t i = 0, n = get16(in.bytes + E_PHNUM); i < n; i++, header += PHDR_SIZE) {
        if (get32(header + P_TYPE) != PT_LOAD || get32(header + P_MEMSZ) == 0)
            continue;
        if (image->count == ELF_SEGMENTS_MAX)
            return fail(&in, "ELF: e_phnum: more than %d segments to load", ELF_SEGMENTS_MAX);
        if (!read_segment(&in, header, i, &image->segment[image->count]))
            return false;
        physical |= image->segment[image->count++].address != 0;
    }
    if (image->count == 0)
        return fail(&in, "ELF: there is no PT_LOAD segment with a size");
    for (uint32_t i = 0; i < image->count && !physical; i++)
        image->segment[i].address = image->segment[i].virtual_address;
    return check_wrap(&in, image);
}
