/* Texts of faults and errors that are longer than their buffers: whole words, and " ..." for the rest. Every builder of
 * such a text gets the longest fields that there are. */
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "noc/initiator.h"
#include "support/chip.h"
#include "tensix/matrix/matrix.h"
#include "tensix/vector/vector.h"

static const struct bh_xy TILE = { 1, 2 };

enum { WHOLE = 2000 };

/* Words of changing lengths, longer than any buffer. Each word is unique, so that a cut word is not another word. */
static const char *long_reason(void) {
    static char text[600];
    size_t at = 0;
    for (unsigned i = 0; at < sizeof text - 24; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%sword%0*u", i ? " " : "", (int)(i % 9 + 3), i);
    return text;
}

/* The text is the whole one, or a part of it up to a space, with the mark. */
static void assert_cut(const char *text, const char *whole, size_t size) {
    size_t length = strnlen(text, size);
    assert_in_range(length, 1, size - 1);
    if (strcmp(text, whole) == 0)
        return;
    assert_true(length > 4);
    if (strcmp(text + length - 4, " ...") != 0 || strncmp(text, whole, length - 4) != 0 || whole[length - 4] != ' ')
        fail_msg("'%s' cuts a word of '%s'", text, whole);
}

static struct tile *tile_of(bh_chip *chip) {
    struct tile *tile;
    assert_int_equal(chip_tensix(chip, TILE, &tile), BH_OK);
    return tile;
}

/* ---- NoC --------------------------------------------------------------------------------------------------------- */

static void a_refused_request(void **state) {
    struct tile *tile = tile_of(*state);
    char whole[WHOLE];
    struct access access = niu_refuse(&tile->niu[1], 3, BH_FAULT_UNDEFINED, "%s", long_reason());
    snprintf(whole, sizeof whole, "NoC 1 command buffer 3: %s", long_reason());
    assert_cut(access.text, whole, sizeof tile->niu[1].why);
}

/* A packet from the tile's trisc2 to itself. */
static struct transaction a_transaction(const struct tile *tile, enum noc_kind kind, enum transaction_stage stage) {
    return (struct transaction){
        .pc = UINT32_MAX,
        .sender = tile->niu[0].site,
        .receiver = tile->niu[0].site,
        .core = BH_TRISC2,
        .stage = (uint8_t)stage,
        .request = { .kind = (uint8_t)kind,
                     .source = tile->niu[0].site,
                     .initiator = 3,
                     .length = NOC_PACKET_MAX,
                     .address = UINT64_MAX,
                     .reply_address = UINT64_MAX },
    };
}

static void a_packet_that_cannot_be_delivered(void **state) {
    struct bh_chip *chip = *state;
    struct tile *tile = tile_of(chip);
    const struct endpoint *endpoint = &tile->endpoint;
    char whole[WHOLE];
    for (unsigned shift = 0; shift < 24; shift++) { /* the cut is at every position of a word once */
        struct transaction write = a_transaction(tile, NOC_KIND_MASKED, TRANSACTION_REQUEST);
        struct transaction read = a_transaction(tile, NOC_KIND_READ, TRANSACTION_RESPONSE);
        const char *why = long_reason() + shift;
        mail_fault(endpoint, &write, 7, access_refused(BH_FAULT_UNMAPPED, why));
        snprintf(
            whole, sizeof whole,
            "trisc2 at pc 0xffffffff: NoC 0, command buffer 3 of tile (1,2): masked write to 0xffffffffffffffff of "
            "tile (1,2), 16384 bytes: %s",
            why);
        assert_cut(endpoint->mail->fault[0].fault.text, whole, sizeof(((struct bh_fault *)0)->text));
        mail_fault(endpoint, &read, 7, access_refused(BH_FAULT_UNMAPPED, why));
        snprintf(
            whole, sizeof whole,
            "trisc2 at pc 0xffffffff: NoC 0, read data for 0xffffffffffffffff of tile (1,2) from tile (1,2), 16384 "
            "bytes: %s",
            why);
        assert_cut(endpoint->mail->fault[1].fault.text, whole, sizeof(((struct bh_fault *)0)->text));
        endpoint->mail->fault_count = 0;
    }
}

/* ---- Errors of the caller ---------------------------------------------------------------------------------------- */

static void a_message(void **state) {
    bh_chip *chip = *state;
    for (unsigned shift = 0; shift < 24; shift++) {
        assert_int_equal(chip_fail(chip, BH_ERR_ARGUMENT, "%s", long_reason() + shift), BH_ERR_ARGUMENT);
        assert_cut(bh_message(chip), long_reason() + shift, CHIP_MESSAGE_SIZE);
    }
}

/* ---- Tensix ------------------------------------------------------------------------------------------------------ */

/* The instruction is cut for itself, so that there is room for the reason. */
static void assert_tensix_fault(const struct tensix *x, uint32_t word, const char *reason) {
    const char *text = x->thread[1].fault.text, *middle = strstr(text, " (pushed at pc 0x00000000): ");
    char name[WHOLE], shown[WHOLE];
    tensix_disasm(word, name, sizeof name);
    if (!middle)
        fail_msg("'%s' has no instruction", text);
    snprintf(shown, sizeof shown, "%.*s", (int)(middle - text), text);
    assert_int_equal(strncmp(shown, "T1: ", 4), 0);
    assert_cut(shown + 4, name, 64);
    assert_cut(strstr(middle, ": ") + 2, reason, sizeof x->thread[1].fault.text);
}

static void a_fault_of_every_instruction(void **state) {
    struct tensix *x = &tile_of(*state)->tensix;
    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        uint32_t word = opcode << 24 | 0xFFFFFF;
        tensix_fault(x, 1, BH_FAULT_UNDEFINED, word, 0, 0, "%s", long_reason() + opcode % 24);
        assert_tensix_fault(x, word, long_reason() + opcode % 24);
    }
}

static void a_refusal_of_the_matrix_unit(void **state) {
    struct tensix *x = &tile_of(*state)->tensix;
    struct matrix_turn turn = { .x = x, .thread = 1, .word = UINT32_C(0x02000000) };
    for (unsigned shift = 0; shift < 24; shift++) {
        matrix_refuse(&turn, BH_FAULT_UNDEFINED, "%s", long_reason() + shift);
        assert_tensix_fault(x, turn.word, long_reason() + shift);
    }
}

static void a_refusal_of_the_vector_unit(void **state) {
    struct tensix *x = &tile_of(*state)->tensix;
    struct vector_turn turn = { .x = x, .v = &x->vector, .thread = 1, .word = UINT32_C(0x02000000), .scheduled = true };
    for (unsigned shift = 0; shift < 24; shift++) {
        char reason[WHOLE];
        vector_refuse(&turn, BH_FAULT_UNDEFINED, "%s", long_reason() + shift);
        snprintf(reason, sizeof reason, "scheduled by SFPLOADMACRO: %s", long_reason() + shift);
        assert_tensix_fault(x, turn.word, reason);
    }
}

/* ---- Waits ------------------------------------------------------------------------------------------------------- */

/* T1 waits for every condition of STALLWAIT that holds in an unused chip. `behind` is the instruction at its gate. */
static void start_deadlock(bh_chip *chip, uint32_t behind) {
    const uint32_t words[] = {
        tensix_to_stream(
            tensix_encode_STALLWAIT((struct tensix_STALLWAIT){ .stall_res = 0x1FF, .wait_res = 1u << 7 | 1u << 8 })),
        tensix_to_stream(behind), 0x00100073, /* ebreak */
    };
    assert_int_equal(bh_write(chip, TILE, core_entry[BH_TRISC1], words, sizeof words), BH_OK);
    assert_int_equal(bh_release(chip, TILE, 1u << BH_TRISC1), BH_OK);
}

/* One instruction in the long form of the report, and the end of its line. */
static void whole_line(const bh_chip *chip, char *line, size_t size) {
    static const char prefix[] = "tile 1,2: ";
    char text[WHOLE];
    assert_true(bh_report(chip, text, sizeof text) < sizeof text);
    assert_int_equal(strncmp(text, prefix, sizeof prefix - 1), 0);
    text[strcspn(text, "\n")] = '\0';
    snprintf(line, size, "%s", text + sizeof prefix - 1);
}

static void a_deadlock(void **state) {
    bh_chip *chip = *state;
    struct bh_stop stop;
    char line[WHOLE], name[WHOLE];
    uint32_t longest = (uint32_t)TENSIX_UNPACR << 24 | 0xFFFFFF;
    start_deadlock(chip, longest);
    assert_int_equal(bh_run(chip, 100000, BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_DEADLOCK);
    whole_line(chip, line, sizeof line);
    tensix_disasm(longest, name, sizeof name);
    assert_says(line, name); /* the report has room for it */
    assert_says(line, "held by STALLWAIT: no unpacker has handed SrcA to the Matrix Unit (C7), no unpacker has handed "
                      "SrcB to the Matrix Unit (C8)");
    assert_int_equal(strncmp(stop.fault.text, "T1 at UNPACR ", 13), 0);
    const char *middle = strstr(stop.fault.text, " ... (pushed at pc 0xa004): held by STALLWAIT: no unpacker");
    if (!middle)
        fail_msg("'%s' has no reason", stop.fault.text);
    assert_cut(strstr(middle, "held by"), strstr(line, "held by"), sizeof stop.fault.text);
}

/* Every size of the buffer, for a wait with a long text. */
static void an_explanation(void **state) {
    bh_chip *chip = *state;
    const struct tensix *x = &tile_of(chip)->tensix;
    char whole[WHOLE], latch[WHOLE], text[WHOLE];
    start_deadlock(chip, tensix_encode_SEMPOST((struct tensix_SEMPOST){ .sem_sel = 1 }));
    assert_int_equal(bh_run(chip, 100000, BH_RUN_STOP_ON_IDLE, NULL), BH_OK);
    tensix_explain(x, 1, whole, sizeof whole);
    tensix_explain_latch(x, 1, latch, sizeof latch);
    assert_true(strlen(latch) > 80 && strlen(whole) > strlen(latch));
    for (size_t size = 20; size <= strlen(whole) + 1; size++) {
        tensix_explain(x, 1, text, size);
        assert_cut(text, whole, size);
        tensix_explain_latch(x, 1, text, size);
        assert_cut(text, latch, size);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_chip, teardown_chip)

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(a_refused_request),
        TEST(a_packet_that_cannot_be_delivered),
        TEST(a_message),
        TEST(a_fault_of_every_instruction),
        TEST(a_refusal_of_the_matrix_unit),
        TEST(a_refusal_of_the_vector_unit),
        TEST(a_deadlock),
        TEST(an_explanation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
