/* Program files through elfutils: see program.h. The symbol and line tables are sorted once, when the file is
 * opened; lookups are binary searches. */
#include "machine/program.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/file.h"

struct symbol {
    uint32_t address, size;
    size_t section; /* index of its section, or SHN_ABS */
    const char *name;
    int rank; /* 0 for functions, 1 for objects, 2 for labels: the lower, the better the name */
};

struct line {
    uint32_t address;
    unsigned number; /* 0: code without lines starts here */
    const char *file;
};

struct program {
    char *path;
    uint8_t *bytes;
    size_t size;
    /* either: the name looks like FILE@ADDR, but the address is invalid, so that the whole word was taken as name */
    bool raw, either;
    uint32_t raw_address;

    Elf *elf;
    Dwarf *dwarf;
    struct symbol *symbols;
    size_t symbol_count;
    struct line *lines;
    size_t line_count;
    struct code *code;
    size_t code_count;
    struct relocation *relocations;
    size_t relocation_count;
};

/* Makes room for one more item, and returns the array. The capacity is a power of two, so that grow must be called
 * before each addition. Frees the array and returns NULL without memory. */
static void *grow(void *array, size_t count, size_t item) {
    if (count & (count - 1) || (count && count < 16))
        return array;
    void *larger = realloc(array, (count ? count * 2 : 16) * item);
    if (!larger)
        free(array);
    return larger;
}

static int compare_symbols(const void *va, const void *vb) {
    const struct symbol *a = va, *b = vb;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->rank != b->rank)
        return b->rank - a->rank; /* the best name comes last: lookups take the last match */
    return strcmp(a->name, b->name);
}

static bool add_symbol(struct program *p, const GElf_Sym *sym, const char *name) {
    int type = GELF_ST_TYPE(sym->st_info);
    bool labels = type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC;
    if (!labels || sym->st_shndx == SHN_UNDEF || !name || !*name || *name == '$' || strncmp(name, ".L", 2) == 0)
        return true;
    p->symbols = grow(p->symbols, p->symbol_count, sizeof *p->symbols);
    if (!p->symbols)
        return false;
    p->symbols[p->symbol_count++] = (struct symbol){
        .address = (uint32_t)sym->st_value,
        .size = (uint32_t)sym->st_size,
        .section = sym->st_shndx,
        .name = name,
        .rank = type == STT_FUNC     ? 0
                : type == STT_OBJECT ? 1
                                     : 2,
    };
    return true;
}

static bool read_symbols(struct program *p) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !(data = elf_getdata(section, NULL)))
            continue;
        GElf_Sym sym;
        for (int i = 0; gelf_getsym(data, i, &sym); i++)
            if (!add_symbol(p, &sym, elf_strptr(p->elf, header.sh_link, sym.st_name)))
                return false;
    }
    if (p->symbol_count)
        qsort(p->symbols, p->symbol_count, sizeof *p->symbols, compare_symbols);
    return true;
}

static bool add_line(struct program *p, Dwarf_Line *from) {
    Dwarf_Addr address;
    int number;
    bool end;
    const char *file = dwarf_linesrc(from, NULL, NULL);
    if (dwarf_lineaddr(from, &address) || dwarf_lineno(from, &number) || dwarf_lineendsequence(from, &end) || !file)
        return true;
    p->lines = grow(p->lines, p->line_count, sizeof *p->lines);
    if (!p->lines)
        return false;
    p->lines[p->line_count++] = (struct line){ (uint32_t)address, end || number < 0 ? 0 : (unsigned)number, file };
    return true;
}

/* At one address the end of a sequence sorts before its lines, so that a sequence that begins where another ends wins.
 * Lines keep their order. */
static int compare_lines(const void *va, const void *vb) {
    const struct line *a = va, *b = vb;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->number != 0) - (b->number != 0);
}

static bool read_lines(struct program *p) {
    Dwarf_Off offset = 0, next;
    size_t header_size;
    for (; dwarf_nextcu(p->dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0; offset = next) {
        Dwarf_Die die;
        Dwarf_Lines *lines;
        size_t count;
        if (!dwarf_offdie(p->dwarf, offset + header_size, &die) || dwarf_getsrclines(&die, &lines, &count))
            continue;
        for (size_t i = 0; i < count; i++)
            if (!add_line(p, dwarf_onesrcline(lines, i)))
                return false;
    }
    if (p->line_count)
        qsort(p->lines, p->line_count, sizeof *p->lines, compare_lines);
    return true;
}

static bool add_code(struct program *p, const char *name, uint64_t address, uint64_t offset, uint64_t size) {
    if (size == 0 || offset > p->size || size > p->size - offset || address > UINT32_MAX)
        return true;
    p->code = grow(p->code, p->code_count, sizeof *p->code);
    if (!p->code)
        return false;
    p->code[p->code_count++] = (struct code){ name, (uint32_t)address, p->bytes + offset, (size_t)size };
    return true;
}

static int compare_code(const void *va, const void *vb) {
    const struct code *a = va, *b = vb;
    return a->address < b->address ? -1 : a->address > b->address;
}

static bool read_code(struct program *p) {
    size_t names = 0, segments = 0;
    elf_getshdrstrndx(p->elf, &names);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));) {
        GElf_Shdr h;
        if (!gelf_getshdr(section, &h) || h.sh_type == SHT_NOBITS || !(h.sh_flags & SHF_EXECINSTR))
            continue;
        const char *name = elf_strptr(p->elf, names, h.sh_name);
        if (!add_code(p, name ? name : "", h.sh_addr, h.sh_offset, h.sh_size))
            return false;
    }
    if (p->code_count == 0)
        elf_getphdrnum(p->elf, &segments);
    for (size_t i = 0; i < segments; i++) {
        GElf_Phdr h;
        if (!gelf_getphdr(p->elf, (int)i, &h) || h.p_type != PT_LOAD || !(h.p_flags & PF_X))
            continue;
        if (!add_code(p, "", h.p_vaddr, h.p_offset, h.p_filesz))
            return false;
    }
    if (p->code_count)
        qsort(p->code, p->code_count, sizeof *p->code, compare_code);
    return true;
}

static bool add_relocation(struct program *p, const GElf_Rela *from, Elf_Data *symbols) {
    GElf_Sym symbol = { 0 };
    size_t index = GELF_R_SYM(from->r_info);
    if (index && !gelf_getsym(symbols, (int)index, &symbol))
        return true;
    p->relocations = grow(p->relocations, p->relocation_count, sizeof *p->relocations);
    if (!p->relocations)
        return false;
    p->relocations[p->relocation_count++] = (struct relocation){
        .address = (uint32_t)from->r_offset,
        .type = (unsigned)GELF_R_TYPE(from->r_info),
        .target = (uint32_t)(symbol.st_value + (uint64_t)from->r_addend),
        .target_in_section = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE,
    };
    return true;
}

static bool read_relocations(struct program *p) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(p->elf, section));) {
        GElf_Shdr header, of;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
            !gelf_getshdr(elf_getscn(p->elf, header.sh_info), &of) || !(of.sh_flags & SHF_ALLOC))
            continue;
        Elf_Data *data = elf_getdata(section, NULL), *symbols = elf_getdata(elf_getscn(p->elf, header.sh_link), NULL);
        GElf_Rela rela;
        for (int i = 0; data && symbols && gelf_getrela(data, i, &rela); i++)
            if (!add_relocation(p, &rela, symbols))
                return false;
    }
    return true;
}

/* Refuses segments that lie outside of the file: they would be loaded as zeros. */
static bool check_segments(const struct program *p, char *message, size_t size) {
    size_t count = 0;
    elf_getphdrnum(p->elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr h;
        if (!gelf_getphdr(p->elf, (int)i, &h) || h.p_type != PT_LOAD ||
            (h.p_offset <= p->size && h.p_filesz <= p->size - h.p_offset))
            continue;
        snprintf(message, size, "'%s' is cut off: its segment for 0x%x ends at byte %llu, the file at %zu", p->path,
                 (uint32_t)h.p_vaddr, (unsigned long long)(h.p_offset + h.p_filesz), p->size);
        return false;
    }
    return true;
}

static bool read_elf(struct program *p, char *message, size_t size) {
    GElf_Ehdr header;
    elf_version(EV_CURRENT);
    p->elf = elf_memory((char *)p->bytes, p->size);
    bool begun = p->size >= SELFMAG && memcmp(p->bytes, ELFMAG, SELFMAG) == 0;
    if (begun && p->size < sizeof(Elf32_Ehdr)) {
        snprintf(message, size, "'%s' is cut off: of its ELF header there are %zu bytes", p->path, p->size);
        return false;
    }
    if (!p->elf || elf_kind(p->elf) != ELF_K_ELF || !gelf_getehdr(p->elf, &header)) {
        snprintf(message, size, "'%s' is not an ELF file%s%s%s", p->path, p->either ? "; for raw bytes say '" : "",
                 p->either ? p->path : "", p->either ? "@ADDRESS'" : "");
        return false;
    }
    if (gelf_getclass(p->elf) != ELFCLASS32 || header.e_machine != EM_RISCV) {
        snprintf(message, size, "'%s' is not a 32-bit RISC-V ELF file", p->path);
        return false;
    }
    if (!check_segments(p, message, size))
        return false;
    p->dwarf = dwarf_begin_elf(p->elf, DWARF_C_READ, NULL);
    if (!read_symbols(p) || !read_code(p) || !read_relocations(p) || (p->dwarf && !read_lines(p))) {
        snprintf(message, size, "out of memory while reading '%s'", p->path);
        return false;
    }
    return true;
}

/* Completes the message about FILE@ADDR with an invalid ADDR, which was taken for a file name. */
static void explain_address(const struct program *p, char *message, size_t size) {
    const char *at = p->either ? strrchr(p->path, '@') : NULL;
    size_t used = strlen(message);
    if (at && at > p->path)
        snprintf(message + used, size - used, "; behind '@', '%s' is not a 32-bit address", at + 1);
}

static bool read_program(struct program *p, struct span path, char *message, size_t size) {
    p->bytes = file_read(path, &p->size, message, size);
    if (!p->bytes) {
        explain_address(p, message, size);
        return false;
    }
    if (p->raw && p->size == 0) {
        snprintf(message, size, "the file '%s' is empty", p->path);
        return false;
    }
    return p->raw || read_elf(p, message, size);
}

static struct program *open_file(struct span path, struct program form, char *message, size_t size) {
    struct program *p = malloc(sizeof *p);
    if (p) {
        *p = form;
        p->path = strndup(path.p, path.n);
    }
    if (p && p->path && read_program(p, path, message, size))
        return p;
    if (!p || !p->path)
        snprintf(message, size, "out of memory");
    program_close(p);
    return NULL;
}

struct program *program_open(struct span spec, char *message, size_t size) {
    uint64_t n;
    for (size_t i = spec.n; i-- > 1;)
        if (spec.p[i] == '@' && span_number((struct span){ spec.p + i + 1, spec.n - i - 1 }, UINT32_MAX, &n))
            return open_file((struct span){ spec.p, i }, (struct program){ .raw = true, .raw_address = (uint32_t)n },
                             message, size);
    return open_file(spec, (struct program){ .either = true }, message, size);
}

struct program *program_open_elf(struct span path, char *message, size_t size) {
    return open_file(path, (struct program){ 0 }, message, size);
}

struct program *program_open_raw(struct span path, char *message, size_t size) {
    return open_file(path, (struct program){ .raw = true }, message, size);
}

void program_close(struct program *p) {
    if (!p)
        return;
    if (p->dwarf)
        dwarf_end(p->dwarf);
    if (p->elf)
        elf_end(p->elf);
    free(p->symbols);
    free(p->lines);
    free(p->code);
    free(p->relocations);
    free(p->bytes);
    free(p->path);
    free(p);
}

const char *program_path(const struct program *p) {
    return p->path;
}

bool program_is_raw(const struct program *p, uint32_t *address) {
    *address = p->raw_address;
    return p->raw;
}

const uint8_t *program_bytes(const struct program *p, size_t *size) {
    *size = p->size;
    return p->bytes;
}

bool program_code(const struct program *p, size_t index, struct code *code) {
    if (p->raw && index == 0) {
        *code = (struct code){ "", p->raw_address, p->bytes, p->size };
        return true;
    }
    if (index >= p->code_count)
        return false;
    *code = p->code[index];
    return true;
}

bool program_segment(const struct program *p, size_t index, struct segment *segment) {
    size_t count = 0;
    elf_getphdrnum(p->elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr h;
        if (!gelf_getphdr(p->elf, (int)i, &h) || h.p_type != PT_LOAD || h.p_memsz == 0 || index-- > 0)
            continue;
        bool inside = h.p_offset <= p->size && h.p_filesz <= p->size - h.p_offset;
        *segment = (struct segment){
            .address = (uint32_t)h.p_vaddr,
            .load_address = (uint32_t)h.p_paddr,
            .data = p->bytes + (inside ? h.p_offset : 0),
            .size = inside ? (size_t)h.p_filesz : 0,
            .memory_size = (size_t)h.p_memsz,
            .code = h.p_flags & PF_X,
        };
        return true;
    }
    return false;
}

bool program_section(const struct program *p, size_t index, uint32_t *address) {
    for (Elf_Scn *section = NULL; p->elf && (section = elf_nextscn(p->elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) || index-- > 0)
            continue;
        *address = (uint32_t)header.sh_addr;
        return true;
    }
    return false;
}

uint32_t program_entry(const struct program *p) {
    GElf_Ehdr header;
    return p->elf && gelf_getehdr(p->elf, &header) ? (uint32_t)header.e_entry : p->raw_address;
}

bool program_relocation(const struct program *p, size_t index, struct relocation *relocation) {
    if (index >= p->relocation_count)
        return false;
    *relocation = p->relocations[index];
    return true;
}

const char *program_symbol(const struct program *p, uint32_t address, uint32_t *offset) {
    size_t low = 0, high = p->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0) {
        const struct symbol *s = &p->symbols[low];
        if (s->section == SHN_ABS)
            continue;
        bool inside = s->size == 0 || address - s->address < s->size || s->rank == 2;
        *offset = address - s->address;
        return inside ? s->name : NULL;
    }
    return NULL;
}

const char *program_symbol_with(const struct program *p, const char *prefix, size_t *index, uint32_t *address) {
    while (*index < p->symbol_count) {
        const struct symbol *s = &p->symbols[(*index)++];
        *address = s->address;
        if (strncmp(s->name, prefix, strlen(prefix)) == 0)
            return s->name;
    }
    return NULL;
}

bool program_find(const struct program *p, struct span name, uint32_t *address, uint32_t *size) {
    for (size_t i = 0; i < p->symbol_count; i++) {
        if (span_is(name, p->symbols[i].name)) {
            *address = p->symbols[i].address;
            *size = p->symbols[i].size;
            return true;
        }
    }
    return false;
}

const char *program_line(const struct program *p, uint32_t address, unsigned *line) {
    size_t low = 0, high = p->line_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->lines[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || p->lines[low - 1].number == 0)
        return NULL;
    *line = p->lines[low - 1].number;
    return p->lines[low - 1].file;
}

bool program_line_at(const struct program *p, size_t index, uint32_t *address, const char **file, unsigned *line) {
    if (index >= p->line_count)
        return false;
    *address = p->lines[index].address;
    *file = p->lines[index].file;
    *line = p->lines[index].number;
    return true;
}

/* Returns whether the address lies in code. */
static bool is_code(const struct program *p, uint32_t address) {
    for (size_t i = 0; i < p->code_count; i++)
        if (address - p->code[i].address < p->code[i].size)
            return true;
    return false;
}

bool program_function(const struct program *p, size_t index, struct function *function) {
    for (size_t i = 0; i < p->symbol_count; i++) {
        const struct symbol *s = &p->symbols[i];
        bool last = i + 1 == p->symbol_count || s[1].address != s->address; /* of several, the last is the best */
        if (s->section == SHN_ABS || s->rank == 1 || !last || !is_code(p, s->address) || index-- > 0)
            continue;
        *function = (struct function){ s->name, s->address, s->size };
        return true;
    }
    return false;
}

static bool get_number(Dwarf_Die *die, unsigned name, Dwarf_Word *value) {
    Dwarf_Attribute attribute;
    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, value) == 0;
}

/* Returns the file and line of the outermost inlined call in a chain of scopes, the innermost scope first. */
static const char *outermost_call(Dwarf_Die *unit, Dwarf_Die *scopes, int count, unsigned *line) {
    Dwarf_Word file, number;
    Dwarf_Files *files;
    while (count-- > 0)
        if (dwarf_tag(&scopes[count]) == DW_TAG_inlined_subroutine &&
            get_number(&scopes[count], DW_AT_call_file, &file) &&
            get_number(&scopes[count], DW_AT_call_line, &number) && dwarf_getsrcfiles(unit, &files, NULL) == 0) {
            *line = (unsigned)number;
            return dwarf_filesrc(files, file, NULL, NULL);
        }
    return NULL;
}

/* Returns the file and line of the call to the inlined function around the address in one unit. dwarf_getscopes
 * continues from an inlined function to the scopes of its definition; dwarf_getscopes_die finds the calls around it. */
static const char *called_in(Dwarf_Die *unit, uint32_t address, unsigned *line) {
    Dwarf_Die *inner = NULL, *scopes = NULL;
    const char *file = NULL;
    if (dwarf_getscopes(unit, address, &inner) > 0) {
        int count = dwarf_getscopes_die(inner, &scopes);
        file = outermost_call(unit, scopes, count, line);
    }
    free(inner);
    free(scopes);
    return file;
}

/* Returns the file and line of the function around the address in one unit. */
static const char *declared_in(Dwarf_Die *unit, uint32_t address, unsigned *line) {
    Dwarf_Die *inner = NULL, *scopes = NULL;
    const char *file = NULL;
    int number, count = 0;
    if (dwarf_getscopes(unit, address, &inner) > 0)
        count = dwarf_getscopes_die(inner, &scopes);
    for (int i = 0; i < count && !file; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram && dwarf_decl_line(&scopes[i], &number) == 0) {
            file = dwarf_decl_file(&scopes[i]);
            *line = (unsigned)number;
        }
    free(inner);
    free(scopes);
    return file;
}

/* Asks every unit with the address, until one answers: the table of addresses (dwarf_addrdie) lacks some units, and
 * units of assembler code may overlap others. */
static const char *in_units(const struct program *p, uint32_t address, unsigned *line,
                            const char *(*ask)(Dwarf_Die *unit, uint32_t address, unsigned *line)) {
    Dwarf_Off offset = 0, next;
    size_t header_size;
    const char *file = NULL;
    Dwarf_Die unit;
    for (; p->dwarf && !file && dwarf_nextcu(p->dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0;
         offset = next)
        if (dwarf_offdie(p->dwarf, offset + header_size, &unit) && dwarf_haspc(&unit, address) > 0)
            file = ask(&unit, address, line);
    return file;
}

const char *program_call(const struct program *p, uint32_t address, unsigned *line) {
    return in_units(p, address, line, called_in);
}

const char *program_declared(const struct program *p, uint32_t address, unsigned *line) {
    const char *file = in_units(p, address, line, declared_in);
    return file ? file : program_line(p, address, line);
}

const char *program_where(const struct program *p, uint32_t address, char *text, size_t size) {
    uint32_t offset;
    unsigned line = 0;
    const char *symbol = p ? program_symbol(p, address, &offset) : NULL;
    const char *file = p ? program_line(p, address, &line) : NULL;
    const char *base = file ? strrchr(file, '/') : NULL;
    int used = 0;
    text[0] = 0;
    if (symbol)
        used = offset ? snprintf(text, size, " <%s+0x%x>", symbol, offset) : snprintf(text, size, " <%s>", symbol);
    if (file && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " %s:%u", base ? base + 1 : file, line);
    return text;
}

void program_json(struct json *j, const struct program *p, uint32_t address, bool source) {
    uint32_t offset;
    unsigned line;
    const char *symbol = p ? program_symbol(p, address, &offset) : NULL;
    const char *file = p && source ? program_line(p, address, &line) : NULL;
    if (symbol) {
        json_string(j, "symbol", symbol);
        json_number(j, "offset", offset);
    }
    if (file) {
        json_string(j, "file", file);
        json_number(j, "line", line);
    }
}
