/* src/noc/messages.c: streams that software fills and that software, if anything, empties. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/memmap.h"
#include "noc/overlay.h"

enum { PLAIN = 20, WITH_HEADERS = 4, LARGE = 8 }; /* streams: 2 messages, 16 with headers, 8 */
enum { TO_NOWHERE = 1 << 4, TO_SOFTWARE = 1 << 4 | 1 << 6, NO_FLUSH = 1 << 18 };
enum { BUFFER = 0x1000, SIZE = 10, HEADERS = 0x2000 }; /* in units of 16 bytes */
enum { IDLE = 1, FLUSH = 2 | 4 << 3, FORWARD = 4 | 5 << 3 };

static struct overlay overlay;
static uint8_t *l1;

static int prepare(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    l1 = calloc(1, memmap[MEMMAP_ROW_L1].size);
    return l1 ? 0 : -1;
}

static int finish(void **state) {
    (void)state;
    free(l1);
    return 0;
}

static struct access try_put(unsigned stream, unsigned index, uint32_t value) {
    return overlay_write(&overlay, &(struct overlay_wire){ .l1 = l1 }, 0x1000 * stream + 4 * index, value);
}

static void put(unsigned stream, unsigned index, uint32_t value) {
    struct access access = try_put(stream, index, value);
    if (access.result != ACCESS_DONE)
        fail_msg("%s", access.text);
}

static uint32_t get(unsigned stream, unsigned index) {
    uint32_t value = 0xDEAD;
    assert_int_equal(overlay_peek(&overlay, 0x1000 * stream + 4 * index, &value).result, ACCESS_DONE);
    return value;
}

static void assert_refused(struct access access, enum bh_fault_kind kind, const char *text) {
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_int_equal(access.kind, kind);
    if (!strstr(access.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, access.text);
}

static void configure(unsigned stream, uint32_t mode, unsigned messages) {
    put(stream, OVERLAY_MISC_CFG, mode);
    put(stream, OVERLAY_BUF_START, BUFFER);
    put(stream, OVERLAY_BUF_SIZE, SIZE);
    put(stream, OVERLAY_MSG_INFO_PTR, HEADERS);
    put(stream, OVERLAY_MSG_INFO_WR_PTR, HEADERS);
    put(stream, OVERLAY_PHASE_AUTO_CFG_HEADER, messages << 12 | 1);
    put(0, OVERLAY_MSG_HEADER_FORMAT, 10 << 7 | 32); /* 10 bits from bit 32 on */
}

static void begin(unsigned stream, uint32_t mode, unsigned messages) {
    configure(stream, mode, messages);
    put(stream, OVERLAY_PHASE_ADVANCE, 1);
}

static void push_one(unsigned stream, uint32_t address, uint32_t size) {
    put(stream, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, size << 17 | address);
}

static void set_header(unsigned i, uint32_t length) {
    uint32_t header[4] = { 0xAAAA0000 | i, 0xFFFFFC00 | length, 0xF0F0F0F0 + i, i };
    memcpy(l1 + (HEADERS + i) * 16, header, sizeof header);
}

/* ---- One by one ----------------------------------------------------------------------------------------- */

static void phase(void **state) {
    (void)state;
    configure(PLAIN, TO_SOFTWARE, 2);
    assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), IDLE);
    assert_int_equal(get(PLAIN, OVERLAY_READY_FOR_MSG_PUSH), 0);
    put(PLAIN, OVERLAY_PHASE_ADVANCE, 0);
    assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), FORWARD);
    assert_int_equal(get(PLAIN, OVERLAY_READY_FOR_MSG_PUSH), 1);
    assert_int_equal(get(PLAIN, OVERLAY_PHASE_ALL_MSGS_PUSHED), 0);
    assert_int_equal(get(PLAIN, OVERLAY_CURR_PHASE), 1);
    push_one(PLAIN, BUFFER, 3);
    push_one(PLAIN, BUFFER + 3, 4);
    assert_int_equal(get(PLAIN, OVERLAY_PHASE_ALL_MSGS_PUSHED), 1);
    assert_int_equal(get(PLAIN, OVERLAY_NUM_MSGS_RECEIVED), 2);
    assert_int_equal(get(PLAIN, OVERLAY_MSG_INFO_FULL), 1);
    assert_int_equal(get(PLAIN, OVERLAY_MSG_INFO_CAN_PUSH_NEW_MSG), 0);
    assert_int_equal(get(PLAIN, OVERLAY_WR_PTR), 7);
    assert_int_equal(get(PLAIN, OVERLAY_MSG_INFO_PTR), HEADERS + 2);
    assert_int_equal(get(PLAIN, OVERLAY_BUF_SPACE_AVAILABLE), 3);
    assert_int_equal(get(PLAIN, OVERLAY_NEXT_RECEIVED_MSG_ADDR), BUFFER);
    assert_int_equal(get(PLAIN, OVERLAY_NEXT_RECEIVED_MSG_SIZE), 3);
    put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 1);
    assert_int_equal(get(PLAIN, OVERLAY_NUM_MSGS_RECEIVED), 1);
    assert_int_equal(get(PLAIN, OVERLAY_NEXT_RECEIVED_MSG_ADDR), BUFFER + 3);
    assert_int_equal(get(PLAIN, OVERLAY_NEXT_RECEIVED_MSG_SIZE), 4);
    assert_int_equal(get(PLAIN, OVERLAY_RD_PTR), 0);
    put(PLAIN, OVERLAY_MSG_DATA_CLEAR, 1);
    assert_int_equal(get(PLAIN, OVERLAY_RD_PTR), 3);
    assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), FORWARD);
    put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 1);
    assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), IDLE);
    assert_int_equal(get(PLAIN, OVERLAY_NUM_MSGS_RECEIVED), 0);
    put(PLAIN, OVERLAY_MSG_DATA_CLEAR, 1);
    assert_int_equal(get(PLAIN, OVERLAY_RD_PTR), 7);
    assert_int_equal(get(PLAIN, OVERLAY_BUF_SPACE_AVAILABLE), SIZE);
}

static void phase_without_messages(void **state) {
    (void)state;
    begin(PLAIN, TO_SOFTWARE, 0);
    assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), IDLE);
}

/* The number of messages has 12 bits. */
static void phase_of_4095_messages(void **state) {
    enum { MESSAGES = 0xFFF };
    (void)state;
    begin(PLAIN, TO_SOFTWARE, MESSAGES);
    for (unsigned i = 0; i < MESSAGES; i++) {
        assert_int_equal(get(PLAIN, OVERLAY_PHASE_ALL_MSGS_PUSHED), 0);
        push_one(PLAIN, BUFFER, 1);
        assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), FORWARD);
        put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 1);
        put(PLAIN, OVERLAY_MSG_DATA_CLEAR, 1);
    }
    assert_int_equal(get(PLAIN, OVERLAY_PHASE_ALL_MSGS_PUSHED), 1);
    assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), IDLE);
}

/* The last message may still be read in L1 when the next phase is started. */
static void next_phase_waits_for_reads(void **state) {
    (void)state;
    begin(PLAIN, TO_SOFTWARE, 1);
    push_one(PLAIN, BUFFER, 2);
    put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 1);
    put(PLAIN, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 12 | 1);
    put(PLAIN, OVERLAY_PHASE_ADVANCE, 1);
    assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), FLUSH);
    assert_refused(try_put(PLAIN, OVERLAY_NUM_MSGS_RECEIVED_INC, 1 << 12 | 1), BH_FAULT_UNDEFINED, "not been started");
    put(PLAIN, OVERLAY_MSG_DATA_CLEAR, 1);
    assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), FORWARD);
    assert_int_equal(get(PLAIN, OVERLAY_CURR_PHASE), 2);
    put(PLAIN, OVERLAY_PHASE_ADVANCE, 1); /* no effect */
    push_one(PLAIN, BUFFER, 2);
    put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 1);
    put(PLAIN, OVERLAY_MISC_CFG, TO_SOFTWARE | NO_FLUSH);
    put(PLAIN, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 12 | 1);
    put(PLAIN, OVERLAY_PHASE_ADVANCE, 1);
    assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), FORWARD);
}

static void nowhere(void **state) {
    (void)state;
    begin(LARGE, TO_NOWHERE, 20);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(get(LARGE, OVERLAY_WAIT_STATUS), FORWARD);
        push_one(LARGE, BUFFER, 3);
        assert_int_equal(get(LARGE, OVERLAY_NUM_MSGS_RECEIVED), 0);
        assert_int_equal(get(LARGE, OVERLAY_RD_PTR), get(LARGE, OVERLAY_WR_PTR));
    }
    assert_int_equal(get(LARGE, OVERLAY_WAIT_STATUS), IDLE);
    assert_int_equal(get(LARGE, OVERLAY_WR_PTR), 60 % SIZE | (60 / SIZE % 2) << 17);
}

/* ---- By headers in L1 ------------------------------------------------------------------------------------ */

/* Messages that do not fit into the FIFO stay in L1 until there is room. */
static void headers_in_memory(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        set_header(i, i + 1);
    begin(PLAIN, TO_SOFTWARE, 4);
    put(PLAIN, OVERLAY_NUM_MSGS_RECEIVED_INC, 10 << 12 | 4); /* 1 + 2 + 3 + 4 units */
    assert_int_equal(get(PLAIN, OVERLAY_NUM_MSGS_RECEIVED), 2);
    assert_int_equal(get(PLAIN, OVERLAY_MSG_INFO_PTR), HEADERS + 2);
    assert_int_equal(get(PLAIN, OVERLAY_MSG_INFO_WR_PTR), HEADERS + 4);
    assert_int_equal(get(PLAIN, OVERLAY_BUF_SPACE_AVAILABLE), 0);
    assert_int_equal(get(PLAIN, OVERLAY_WR_PTR), 1 << 17);
    static const unsigned offset[] = { 0, 1, 3, 6 };
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(get(PLAIN, OVERLAY_NEXT_RECEIVED_MSG_ADDR), BUFFER + offset[i]);
        assert_int_equal(get(PLAIN, OVERLAY_NEXT_RECEIVED_MSG_SIZE), i + 1);
        assert_int_equal(get(PLAIN, OVERLAY_NUM_MSGS_RECEIVED), i < 3 ? 2 : 1);
        put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 1);
        put(PLAIN, OVERLAY_MSG_DATA_CLEAR, 1);
    }
    assert_int_equal(get(PLAIN, OVERLAY_RD_PTR), 1 << 17);
    assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), IDLE);
}

static void headers_are_copied(void **state) {
    (void)state;
    for (unsigned i = 0; i < 5; i++)
        set_header(i, 1);
    begin(WITH_HEADERS, TO_SOFTWARE, 100);
    put(WITH_HEADERS, OVERLAY_NUM_MSGS_RECEIVED_INC, 4 << 12 | 4);
    for (unsigned j = 0; j < 4; j++)
        put(WITH_HEADERS, OVERLAY_RECEIVER_ENDPOINT_SET_MSG_HEADER + j, 0x100 + j);
    push_one(WITH_HEADERS, 0x1ABCD, 2);
    assert_int_equal(get(WITH_HEADERS, OVERLAY_NUM_MSGS_RECEIVED), 5);
    assert_int_equal(get(WITH_HEADERS, OVERLAY_NUM_MSGS_RECEIVED_IN_BUF_AND_MEM), 5);
    for (unsigned i = 0; i < 4; i++) {
        const unsigned at = OVERLAY_RECEIVER_MSG_INFO + 6 * i;
        assert_int_equal(get(WITH_HEADERS, at), BUFFER + i);
        assert_int_equal(get(WITH_HEADERS, at + 1), 1);
        assert_int_equal(get(WITH_HEADERS, at + 2), 0xAAAA0000 | i);
        assert_int_equal(get(WITH_HEADERS, at + 5), i);
    }
    assert_int_equal(get(WITH_HEADERS, OVERLAY_RECEIVER_MSG_INFO + 24), 0x1ABCD);
    assert_int_equal(get(WITH_HEADERS, OVERLAY_RECEIVER_MSG_INFO + 26), 0x100);
    assert_int_equal(get(WITH_HEADERS, OVERLAY_RECEIVER_MSG_INFO + 29), 0x103);
    assert_int_equal(get(WITH_HEADERS, OVERLAY_RECEIVER_MSG_INFO + 36), 0);
    assert_int_equal(get(WITH_HEADERS, OVERLAY_MSG_GROUP_COMPRESS), 0xF);
    assert_int_equal(get(WITH_HEADERS, OVERLAY_MSG_GROUP_ZERO_MASK_AND),
                     0xF0F0F0F0 & 0xF0F0F0F1 & 0xF0F0F0F2 & 0xF0F0F0F3);
    put(WITH_HEADERS, OVERLAY_MSG_INFO_CLEAR, 4); /* a group */
    assert_int_equal(get(WITH_HEADERS, OVERLAY_RECEIVER_MSG_INFO + 2), 0x100);
    assert_int_equal(get(WITH_HEADERS, OVERLAY_MSG_GROUP_COMPRESS), 0);
    put(WITH_HEADERS, OVERLAY_MSG_DATA_CLEAR, 4); /* one entry for all */
    assert_int_equal(get(WITH_HEADERS, OVERLAY_RD_PTR), 4);
}

/* Two words a message in streams without headers. */
static void infos_without_headers(void **state) {
    (void)state;
    begin(LARGE, TO_SOFTWARE, 3);
    for (unsigned i = 0; i < 3; i++)
        push_one(LARGE, 0x500 + i, i + 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(get(LARGE, OVERLAY_RECEIVER_MSG_INFO + 2 * i), 0x500 + i);
        assert_int_equal(get(LARGE, OVERLAY_RECEIVER_MSG_INFO + 2 * i + 1), i + 1);
    }
    assert_int_equal(get(LARGE, OVERLAY_RECEIVER_MSG_INFO + 8), 0);
    assert_int_equal(get(LARGE, OVERLAY_MSG_GROUP_COMPRESS) | get(LARGE, OVERLAY_MSG_GROUP_ZERO_MASK_AND), 0);
    assert_int_equal(get(LARGE, OVERLAY_NUM_MSGS_RECEIVED_IN_BUF_AND_MEM), 0); /* of streams 4 and 5 only */
}

static void capacities(void **state) {
    (void)state;
    for (unsigned stream = 0; stream < 64; stream++) {
        unsigned expected = stream == 4 || stream == 5 ? 16 : stream < 4 || (stream >= 8 && stream < 12) ? 8 : 2;
        unsigned count = 0;
        begin(stream, TO_SOFTWARE, 100);
        put(stream, OVERLAY_BUF_SIZE, 0x1FFFF);
        while (get(stream, OVERLAY_MSG_INFO_CAN_PUSH_NEW_MSG)) {
            push_one(stream, count, 1);
            count++;
        }
        assert_int_equal(count, expected);
        assert_int_equal(get(stream, OVERLAY_NUM_MSGS_RECEIVED), expected);
        for (count = 0; get(stream, OVERLAY_DEBUG_STATUS + 2) & 1; count++)
            put(stream, OVERLAY_MSG_INFO_CLEAR, 0);
        assert_int_equal(count, expected == 2 ? 2 : 8);
        put(stream, OVERLAY_RESET, 1);
        assert_int_equal(get(stream, OVERLAY_WAIT_STATUS), IDLE);
        assert_int_equal(get(stream, OVERLAY_NUM_MSGS_RECEIVED), 0);
        assert_int_equal(get(stream, OVERLAY_DEBUG_STATUS + 2) & 1, 1);
    }
}

/* ---- Both FIFOs at once ------------------------------------------------------------------------------------ */

static void freed_together(void **state) {
    (void)state;
    begin(LARGE, TO_SOFTWARE, 5);
    for (unsigned i = 0; i < 4; i++)
        push_one(LARGE, BUFFER, 2);
    put(LARGE, OVERLAY_MULTI_MSG_CLEAR, 3);
    assert_int_equal(get(LARGE, OVERLAY_NUM_MSGS_RECEIVED), 1);
    assert_int_equal(get(LARGE, OVERLAY_RD_PTR), 6);
    put(LARGE, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, (uint32_t)-4); /* two, of which one is there */
    assert_int_equal(get(LARGE, OVERLAY_NUM_MSGS_RECEIVED), 0);
    assert_int_equal(get(LARGE, OVERLAY_RD_PTR), 8);
    assert_int_equal(get(LARGE, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR), 0x1FFFE);
    push_one(LARGE, BUFFER, 2);
    assert_int_equal(get(LARGE, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR), 0);
    assert_int_equal(get(LARGE, OVERLAY_RD_PTR), 1 << 17);
    assert_int_equal(get(LARGE, OVERLAY_WAIT_STATUS), IDLE);
}

/* ---- Refusals ----------------------------------------------------------------------------------------------- */

static void starts_that_are_refused(void **state) {
    static const struct {
        uint32_t mode;
        enum bh_fault_kind kind;
    } rows[] = {
        { 0, BH_FAULT_UNDEFINED },
        { 1 << 6, BH_FAULT_UNDEFINED },
        { TO_SOFTWARE | 1 << 3, BH_FAULT_UNDEFINED },
        { TO_SOFTWARE | 1 << 5, BH_FAULT_UNDEFINED },
        { TO_SOFTWARE | 1 << 7, BH_FAULT_UNDEFINED },
        { TO_SOFTWARE | 1 << 8, BH_FAULT_UNDEFINED },
        { 1 << 5 | 1 << 6, BH_FAULT_UNMODELLED },
        { TO_NOWHERE | 1 << 8, BH_FAULT_UNMODELLED },
        { TO_NOWHERE | 1 << 8 | 1 << 16, BH_FAULT_UNMODELLED },
        { TO_SOFTWARE | 1 << 9, BH_FAULT_UNMODELLED },
        { TO_SOFTWARE | 1 << 10, BH_FAULT_UNMODELLED },
        { TO_SOFTWARE | 1 << 15, BH_FAULT_UNMODELLED },
        { TO_SOFTWARE | 1 << 21, BH_FAULT_UNMODELLED },
        { TO_SOFTWARE | 1 << 22, BH_FAULT_UNMODELLED },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        configure(PLAIN, rows[i].mode, 1);
        assert_refused(try_put(PLAIN, OVERLAY_PHASE_ADVANCE, 1), rows[i].kind, "STREAM_PHASE_ADVANCE");
        assert_int_equal(get(PLAIN, OVERLAY_WAIT_STATUS), IDLE);
    }
    configure(PLAIN, TO_SOFTWARE, 1);
    put(PLAIN, OVERLAY_MSG_INFO_WR_PTR, HEADERS + 1);
    assert_refused(try_put(PLAIN, OVERLAY_PHASE_ADVANCE, 1), BH_FAULT_UNDEFINED, "differ");
    assert_refused(overlay_write(&overlay, &(struct overlay_wire){ 0 }, 0x1000 * PLAIN + 4 * OVERLAY_PHASE_ADVANCE, 1),
                   BH_FAULT_UNMODELLED, "Ethernet");
}

static void uses_that_are_refused(void **state) {
    const enum bh_fault_kind kind = BH_FAULT_UNDEFINED;
    (void)state;
    assert_refused(try_put(PLAIN, OVERLAY_NUM_MSGS_RECEIVED_INC, 1 << 12 | 1), kind, "not been started");
    assert_refused(try_put(PLAIN, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, 1 << 17), kind, "not been started");
    assert_refused(try_put(PLAIN, OVERLAY_MSG_DATA_CLEAR, 1), kind, "STREAM_MSG_DATA_CLEAR");
    assert_refused(try_put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 1), kind, "fewer messages");
    begin(PLAIN, TO_SOFTWARE, 3);
    assert_refused(try_put(PLAIN, OVERLAY_NUM_MSGS_RECEIVED_INC, 1 << 12 | 4), kind, "does not expect");
    assert_refused(try_put(PLAIN, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, 11 << 17), kind, "does not fit");
    assert_refused(try_put(PLAIN, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, 0), kind, "size of 0");
    push_one(PLAIN, BUFFER, 1);
    push_one(PLAIN, BUFFER, 1);
    assert_refused(try_put(PLAIN, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, 1 << 17), kind, "CAN_PUSH_NEW_MSG");
    assert_refused(try_put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 3), kind, "takes 0, 1, 2");
    assert_refused(try_put(PLAIN, OVERLAY_MULTI_MSG_CLEAR, 3), kind, "fewer messages");
    put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 1);
    put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 0);
    assert_refused(try_put(PLAIN, OVERLAY_MSG_INFO_CLEAR, 1), kind, "is full");
    assert_refused(try_put(PLAIN, OVERLAY_NUM_MSGS_RECEIVED_INC, 1 << 12 | 1), kind, "length in the message header");
    begin(LARGE, TO_SOFTWARE, 3);
    put(LARGE, OVERLAY_MSG_INFO_PTR, 0x18000);
    put(LARGE, OVERLAY_MSG_INFO_WR_PTR, 0x18000);
    assert_refused(try_put(LARGE, OVERLAY_NUM_MSGS_RECEIVED_INC, 1 << 12 | 1), kind, "beyond the end of L1");
}

/* The length may be anywhere in the header, up to 17 bits of it. */
static void header_formats(void **state) {
    (void)state;
    for (unsigned byte = 0; byte < 16; byte++)
        for (unsigned bits = 1; bits <= 20; bits++) {
            unsigned left = 8 * (16 - byte), width = bits < 17 ? bits : 17;
            begin(PLAIN, TO_SOFTWARE, 1);
            put(0, OVERLAY_MSG_HEADER_FORMAT, bits << 7 | byte * 8 | 5); /* rounded down to bytes */
            memset(l1 + HEADERS * 16, 0xFF, 16);
            put(PLAIN, OVERLAY_NUM_MSGS_RECEIVED_INC, 1 << 12 | 1);
            assert_int_equal(get(PLAIN, OVERLAY_NEXT_RECEIVED_MSG_SIZE), (1u << (width < left ? width : left)) - 1);
            put(PLAIN, OVERLAY_RESET, 1);
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, finish)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(phase),
        TEST(phase_without_messages),
        TEST(phase_of_4095_messages),
        TEST(next_phase_waits_for_reads),
        TEST(nowhere),
        TEST(headers_in_memory),
        TEST(headers_are_copied),
        TEST(infos_without_headers),
        TEST(capacities),
        TEST(freed_together),
        TEST(starts_that_are_refused),
        TEST(uses_that_are_refused),
        TEST(header_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
