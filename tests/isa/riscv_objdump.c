/* Table and disassembler against GNU objdump: random words and edges of every row, and a
 * sweep over all opcodes for instructions that one side knows and the other does not.
 *
 * usage: riscv_objdump AS OBJCOPY OBJDUMP (the riscv64-unknown-elf ones). The words travel as raw bytes: assembled by
 * .incbin for the sake of the architecture string, then stripped so that objdump does not take them for data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/bits.h"
#include "isa/riscv.h"

enum { RANDOM_PER_ROW = 200, WORDS_MAX = 1 << 19 };

static const char *as, *objcopy, *objdump;
static uint32_t words[WORDS_MAX];
static size_t count;

static uint32_t random_word(void) {
    static uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* CSRs of these cores (CSRs.md); most other numbers have names in objdump that mean nothing here. */
static uint32_t random_csr(void) {
    static const uint16_t numbers[] = { 0x003, 0x008, 0x009, 0x00A, 0x300, 0x301, 0x320, 0x323, 0x324, 0x7C0,
                                        0x7C1, 0x7C2, 0x7C3, 0x7C4, 0x7C5, 0x7C6, 0xB00, 0xB02, 0xB03, 0xB04,
                                        0xB80, 0xB82, 0xB83, 0xB84, 0xBC0, 0xBC1, 0xBC2, 0xBC9, 0xBCA, 0xC00,
                                        0xC02, 0xC20, 0xC21, 0xC22, 0xC80, 0xC82, 0xF14 };
    return numbers[random_word() % (sizeof numbers / sizeof *numbers)];
}

/* Bits that the cores ignore and objdump does not: reserved ones of fence, the rounding mode where nothing is rounded.
 */
static uint32_t ignored_bits(enum rv_id id) {
    return id == RV_FENCE ? 0xF00FFF80 : id == RV_FCVT_S_H ? 0x7000 : 0;
}

static bool comparable(uint32_t word, enum rv_id id) {
    if (id == RV_GREVI) /* of a draft that was never ratified: binutils does not have it */
        return false;
    return word != UINT32_C(0xC0001073); /* unimp to objdump, here a write to cycle */
}

/* A word of the row with these operand bits, unless a special row takes it. */
static void add(enum rv_id id, uint32_t operands) {
    const struct rv_row *row = rv_row(id);
    uint32_t word = row->match | (operands & ~row->mask & ~ignored_bits(id));
    struct rv_insn insn;
    if (rv_decode(word, &insn) != id || !comparable(word, id))
        return;
    assert_true(count < WORDS_MAX);
    words[count++] = word;
}

/* Compares likewise; CSR numbers are replaced by some that both sides know. */
static void add_any(enum rv_id id, uint32_t operands) {
    if (rv_row(id)->class == RV_CLASS_CSR)
        operands = (operands & 0xFFFFF) | random_csr() << 20;
    add(id, operands);
}

static void add_row(enum rv_id id) {
    static const uint32_t fields[] = { 0x1Fu << 7, 0x1Fu << 15, 0x1Fu << 20, 0xFFFu << 20, 7u << 12, 0x7Fu << 25 };
    add_any(id, 0);
    add_any(id, UINT32_MAX);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        add_any(id, fields[i]);
        add_any(id, random_word() & ~fields[i]);
        add_any(id, random_word() | fields[i]);
    }
    for (int i = 0; i < RANDOM_PER_ROW; i++)
        add_any(id, random_word());
}

static void add_rows(void) {
    count = 0;
    for (unsigned id = RV_NONE + 1; id < RV_COUNT; id++)
        add_row((enum rv_id)id);
}

/* Where a register field is part of the opcode: its lowest bit, or 0. */
static unsigned selector(uint32_t opcode) {
    enum { OP_IMM = 0x04, OP_FP = 0x14, OP_V = 0x15 };
    return opcode == OP_V ? 15 : opcode == OP_FP || opcode == OP_IMM ? 20 : 0;
}

/* Every opcode, funct3 and funct7 with random registers; all values of a field that is part of the opcode. */
static void add_sweep(void) {
    count = 0;
    for (uint32_t key = 0; key < 1u << 15; key++) {
        uint32_t opcode = bits_get(key, 0, 5), fixed = opcode << 2 | 3 | bits_get(key, 5, 3) << 12 | key >> 8 << 25;
        unsigned low = selector(opcode);
        if ((opcode & 7) == 7) /* instructions of more than 32 bits */
            continue;
        words[count++] = fixed;
        words[count++] = fixed | (random_word() & 0x01FF8F80);
        for (uint32_t i = 0; low && i < 32; i++)
            words[count++] = fixed | (random_word() & 0x01FF8F80 & ~(0x1Fu << low)) | i << low;
        assert_true(count < WORDS_MAX / 2);
    }
    for (uint32_t number = 0; number < 0x1000; number++)
        words[count++] = number << 20 | 0x73; /* ecall, ebreak, mret and their kind */
}

static void run(const char *command) {
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static void write_object(const char *folder) {
    static const char march[] = "rv32imafv_zicsr_zifencei_zba_zbb_zbs_zbc_zbkb_zfh";
    char path[256], command[1024];
    snprintf(path, sizeof path, "%s/words.bin", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(words, sizeof *words, count, file), count);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command,
             "cd %s && printf '.text\\n.incbin \"words.bin\"\\n' | '%s' -march=%s -mabi=ilp32 -o words.o && '%s' "
             "--strip-all words.o",
             folder, as, march, objcopy);
    run(command);
}

/* Cuts comments and symbols, makes every run of blanks one space. */
static void normalise(char *text) {
    char *out = text;
    text[strcspn(text, "#<\n")] = 0;
    for (const char *in = text; *in; in++) {
        bool blank = *in == ' ' || *in == '\t';
        if (!blank)
            *out++ = *in;
        else if (out > text && out[-1] != ' ')
            *out++ = ' ';
    }
    while (out > text && out[-1] == ' ')
        out--;
    *out = 0;
}

typedef bool judge(uint32_t pc, uint32_t word, const char *theirs);

static bool judge_line(char *line, size_t index, judge *agrees) {
    char *word = strchr(line, '\t');
    char *theirs = word ? strchr(word + 1, '\t') : NULL;
    assert_non_null(theirs);
    assert_int_equal(strtoul(line, NULL, 16), 4 * index);
    assert_int_equal(strtoul(word, NULL, 16), words[index]);
    normalise(++theirs);
    return agrees((uint32_t)(4 * index), words[index], theirs);
}

static void compare(const char *options, judge *agrees) {
    char folder[] = "/tmp/bhemu_isa_XXXXXX", command[512], line[256];
    size_t index = 0, different = 0;
    assert_non_null(mkdtemp(folder));
    write_object(folder);
    snprintf(command, sizeof command, "'%s' -d -z %s %s/words.o", objdump, options, folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe))
        if (line[0] == ' ' && index < count)
            different += !judge_line(line, index++, agrees);
    assert_int_equal(pclose(pipe), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    run(command);
    print_message("%zu words compared, %zu differ\n", index, different);
    assert_int_equal(index, count);
    assert_int_equal(different, 0);
}

static bool same_text(uint32_t word, const char *ours, const char *theirs) {
    if (strcmp(ours, theirs) == 0)
        return true;
    print_message("%08x: \"%s\", objdump \"%s\"\n", word, ours, theirs);
    return false;
}

static bool same_plain(uint32_t pc, uint32_t word, const char *theirs) {
    char text[128];
    assert_true(riscv_disasm(pc, word, text, sizeof text) < sizeof text);
    return same_text(word, text, theirs);
}

/* Instructions of the architecture string that the cores lack (InstructionSet.md). */
static bool lacking(uint32_t word, const char *theirs) {
    static const char *const starts[] = {
        "fence.i",
        "lr.w",
        "sc.w",
        "packh",
        "zip",
        "unzip",
        "clmul",
        "bclr",
        "bext",
        "binv",
        "bset",
        "fld",
        "fsd",
        "fdiv.",
        "fsqrt.",
        "vdiv",
        "vrem",
        "vfdiv",
        "vfrdiv",
        "vfsqrt",
        "vfrsqrt7",
        "vfrec7",
        "vzext.vf8",
        "vsext.vf8",
        /* privileged */
        "uret",
        "hret",
        "sret",
        "dret",
        "wfi",
        "sfence.",
        "hfence.",
        "unimp",
    };
    char name[32];
    if (sscanf(theirs, "%31s", name) != 1)
        return false;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    if (name[0] == 'f' && (strstr(name, ".d.") || strcmp(name + strlen(name) - 2, ".d") == 0)) /* V implies D */
        return true;
    if (name[0] == 'v' && (strstr(name, "e64") || strstr(name, "ei64"))) /* ELEN is 32 */
        return true;
    return (word & 0x0200307F) == 0x02001013; /* shifts by 32 and more, reserved in RV32 */
}

static bool same_existence(uint32_t pc, uint32_t word, const char *theirs) {
    struct rv_insn insn;
    enum rv_id id = rv_decode(word, &insn);
    bool ours = id != RV_NONE, expected = theirs[0] != '.' && !lacking(word, theirs);
    (void)pc;
    if (ours == expected || (ours && (!comparable(word, id) || word & ignored_bits(id))))
        return true;
    print_message("%08x: \"%s\", objdump \"%s\"\n", word, rv_row(id)->name, theirs);
    return false;
}

static void test_no_aliases(void **state) {
    (void)state;
    add_rows();
    compare("-M no-aliases", same_plain);
}

static void test_nothing_is_missing(void **state) {
    (void)state;
    add_sweep();
    compare("-M no-aliases", same_existence);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_aliases),
        cmocka_unit_test(test_nothing_is_missing),
    };
    if (argc != 4) {
        fprintf(stderr, "usage: %s AS OBJCOPY OBJDUMP\n", argv[0]);
        return 2;
    }
    as = argv[1];
    objcopy = argv[2];
    objdump = argv[3];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
