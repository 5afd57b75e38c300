/* src/noc/counters.c: the receiver's counters, responses, counters of ids, and the interrupt. */
#include "bench.h"

#include "noc/counters.h"
#include "noc/transaction.h"

/* Every counter but the named ones is zero. */
static void only(const uint32_t (*row)[2], unsigned rows) {
    for (unsigned i = 0; i < NIU_COUNTERS_USED; i++) {
        uint32_t expected = 0;
        for (unsigned j = 0; j < rows; j++)
            expected = row[j][0] == i ? row[j][1] : expected;
        if (bench.niu.count[i] != expected)
            fail_msg("counter %u is %u, not %u", i, bench.niu.count[i], expected);
    }
}
#define ONLY(...) only((const uint32_t[][2]){ __VA_ARGS__ }, sizeof((const uint32_t[][2]){ __VA_ARGS__ }) / 8)

/* ---- At a receiver -------------------------------------------------------------------------------------- */

static void receive(unsigned kind, bool marked, uint32_t length) {
    struct noc_request request = { .kind = (uint8_t)kind, .marked = marked, .length = length };
    bench_init(0);
    const struct noc_tally tally = noc_tally_of(&request);
    niu_count(&bench.niu, NOC_ARRIVED, &tally);
    niu_count(&bench.niu, NOC_ANSWERED, &tally);
}

static void receivers(void **state) {
    (void)state;
    receive(NOC_KIND_READ, true, 129);
    ONLY({ 52, 1 }, { 53, 1 }, { 50, 1 }, { 51, 3 });
    receive(NOC_KIND_ATOMIC, true, 4);
    ONLY({ 52, 1 }, { 54, 1 }, { 48, 1 });
    receive(NOC_KIND_ATOMIC, false, 4);
    ONLY({ 52, 1 }, { 55, 1 });
    receive(NOC_KIND_WRITE, true, 16384);
    ONLY({ 60, 1 }, { 56, 256 }, { 58, 1 }, { 49, 1 });
    receive(NOC_KIND_WRITE, false, 65);
    ONLY({ 61, 1 }, { 57, 2 }, { 59, 1 });
    receive(NOC_KIND_MASKED, true, 64);
    ONLY({ 60, 1 }, { 56, 1 }, { 58, 1 }, { 49, 1 });
    receive(NOC_KIND_INLINE, true, 4);
    ONLY({ 60, 1 }, { 56, 1 }, { 58, 1 }, { 49, 1 });
    receive(NOC_KIND_INLINE, false, 4);
    ONLY({ 61, 1 }, { 57, 1 }, { 59, 1 });
}

/* ---- Responses ------------------------------------------------------------------------------------------ */

static void respond(unsigned kind, unsigned id, uint32_t length, uint64_t time) {
    struct noc_request request = { .kind = (uint8_t)kind, .id = (uint8_t)id, .marked = true, .length = length };
    const struct noc_tally tally = noc_tally_of(&request);
    niu_returned(&bench.niu, &bench.wire, &tally, time);
}

static void responses(void **state) {
    (void)state;
    bench_init(0);
    respond(NOC_KIND_READ, 5, 100, 0);
    ONLY({ 2, 1 }, { 3, 2 }, { 16 + 5, 255 });
    bench_init(0);
    respond(NOC_KIND_WRITE, 0, 0, 0);
    ONLY({ 1, 1 }, { 16, 255 });
    bench_init(0);
    respond(NOC_KIND_ATOMIC, 15, 4, 0);
    ONLY({ 0, 1 }, { 31, 255 });
}

/* A response follows from its request. */
static void the_response_that_fits_a_request(void **state) {
    (void)state;
    static const struct {
        uint8_t kind;
        uint32_t length, flits;
        uint64_t address;
    } rows[] = {
        { NOC_KIND_READ, 77, 3, 9 },  { NOC_KIND_WRITE, 0, 1, 0 },  { NOC_KIND_MASKED, 0, 1, 0 },
        { NOC_KIND_INLINE, 0, 1, 0 }, { NOC_KIND_ATOMIC, 4, 1, 9 },
    };
    for (unsigned i = 0; i < 5; i++) {
        struct transaction transaction = { .stage = TRANSACTION_RESPONSE,
                                           .request = { .kind = rows[i].kind, .length = 77, .reply_address = 9 } };
        assert_int_equal(transaction_length(&transaction), rows[i].length);
        assert_int_equal(transaction_flits(&transaction), rows[i].flits);
        assert_int_equal(noc_response_address(&transaction.request), rows[i].address);
        transaction.stage = TRANSACTION_REQUEST;
        bool carries = rows[i].kind == NOC_KIND_WRITE || rows[i].kind == NOC_KIND_MASKED;
        assert_int_equal(transaction_length(&transaction), carries ? 77 : 0);
        assert_int_equal(transaction_flits(&transaction), carries ? 3 : 1);
    }
}

/* ---- At the sender -------------------------------------------------------------------------------------- */

/* The counts of each kind of request at its sender, from CMD_CTRL to its last flit, without the counters of ids. */
static void senders(void **state) {
    (void)state;
    static const struct {
        unsigned kind;
        bool marked;
        uint32_t moment[3][3][2]; /* assigned, started, left: counter and by how much; nothing more after 0, 0 */
    } rows[] = {
        { NOC_KIND_READ, true, { { { 4, 1 }, { 14, 1 } }, { { 5, 1 } } } },
        { NOC_KIND_WRITE, true, { { { 4, 1 }, { 12, 1 } }, { { 10, 1 }, { 8, 3 } }, { { 32 + 9, 255 } } } },
        { NOC_KIND_WRITE, false, { { { 4, 1 }, { 13, 1 } }, { { 11, 1 }, { 9, 3 } }, { { 32 + 9, 255 } } } },
        { NOC_KIND_MASKED, true, { { { 4, 1 }, { 12, 1 } }, { { 10, 1 }, { 8, 3 } }, { { 32 + 9, 255 } } } },
        { NOC_KIND_INLINE, true, { { { 4, 1 }, { 12, 1 }, { 10, 1 } } } },
        { NOC_KIND_INLINE, false, { { { 4, 1 }, { 13, 1 }, { 11, 1 } } } },
        { NOC_KIND_ATOMIC, true, { { { 4, 1 }, { 15, 1 } }, { { 6, 1 } } } },
        { NOC_KIND_ATOMIC, false, { { { 4, 1 } }, { { 7, 1 } } } },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct noc_tally tally = { (uint8_t)rows[i].kind, 9, rows[i].marked, 1, 3 };
        bench_init(0);
        niu_count(&bench.niu, NOC_ASSIGNED, &tally);
        only(rows[i].moment[0], 3);
        bench_init(0);
        niu_count(&bench.niu, NOC_STARTED, &tally);
        only(rows[i].moment[1], 3);
        bench_init(0);
        niu_count(&bench.niu, NOC_LEFT, &tally);
        only(rows[i].moment[2], 3);
    }
}

/* The counters after the last flit of a command. */
static void send_one(const struct command *c, bool loose, uint32_t count[NIU_COUNTERS]) {
    bench_init(0);
    bench.wire.loose = loose;
    go(1, c, 10);
    niu_run(&bench.niu, 100000);
    memcpy(count, bench.niu.count, sizeof bench.niu.count);
}

/* With time and without a request counts the same. */
static void time_makes_no_difference(void **state) {
    (void)state;
    static const uint32_t kinds[] = { READ, ATOMIC, WRITE, WRITE | BYTE_ENABLE, WRITE | INLINE };
    static const uint32_t lengths[] = { 4, 64, 1024, 16384, 40000 };
    unsigned packets = 0;
    for (unsigned i = 0; i < 5; i++) {
        for (unsigned marked = 0; marked < 2; marked++) {
            for (unsigned k = 0; k < 5; k++) {
                uint32_t with[NIU_COUNTERS], without[NIU_COUNTERS];
                const struct command c = {
                    .ctrl = kinds[i] | (marked ? MARKED : 0),
                    .tag = 5 << 10,
                    .targ_hi = kinds[i] == WRITE ? at(2, 5) : at(10, 7),
                    .ret_hi = kinds[i] == WRITE || kinds[i] == (WRITE | BYTE_ENABLE) ? at(10, 7) : at(2, 5),
                    .length = kinds[i] == READ || kinds[i] == WRITE ? lengths[k]
                              : kinds[i] == ATOMIC                  ? 0x1000
                                                                    : 15,
                };
                send_one(&c, false, with);
                packets += bench.sent;
                send_one(&c, true, without);
                assert_memory_equal(with, without, sizeof with);
                assert_int_equal(with[NIU_CMD_ACCEPTED], bench.sent);
            }
        }
    }
    assert_int_equal(packets, 2 * (2 * (4 + 3) + 3 * 5));
}

/* ---- Eight bits ----------------------------------------------------------------------------------------- */

static void issue(unsigned id, unsigned count) {
    struct command c = { .ctrl = READ, .tag = id << 10, .targ_hi = at(10, 7), .ret_hi = at(2, 5), .length = 4 };
    for (unsigned i = 0; i < count; i++) {
        bench.sent = 0;
        uint64_t time = bench.niu.link_free;
        go(0, &c, time);
        niu_run(&bench.niu, time + 9);
    }
}

static void counters_of_ids_wrap(void **state) {
    (void)state;
    bench_init(0);
    issue(7, 255);
    assert_int_equal(counter_at(NIU_OUTSTANDING + 7, 9999), 255);
    issue(7, 1);
    assert_int_equal(counter_at(NIU_OUTSTANDING + 7, 9999), 0);
    assert_int_equal(counter_at(NIU_RD_REQ_SENT, 9999), 256);
    respond(NOC_KIND_READ, 7, 4, 9999);
    assert_int_equal(counter_at(NIU_OUTSTANDING + 7, 9999), 255);
}

/* A multicast counts one request and as many answers as there are receivers. */
static void multicasts_leave_the_counter_odd(void **state) {
    (void)state;
    bench_init(0);
    struct command c = {
        .ctrl = WRITE | MARKED | MULTICAST, .targ_hi = at(2, 5), .ret_hi = rectangle(3, 3, 4, 4), .length = 4
    };
    go(0, &c, 0);
    for (unsigned i = 0; i < 4; i++)
        respond(NOC_KIND_WRITE, 0, 0, 100);
    assert_int_equal(counter_at(NIU_WR_ACK_RECEIVED, 100), 4);
    assert_int_equal(counter_at(NIU_OUTSTANDING, 100), 253);
    put_at(0x60, 1, 100);
    assert_int_equal(counter_at(NIU_OUTSTANDING, 100), 0);
}

static void clearing(void **state) {
    (void)state;
    bench_init(0);
    put_at(0x60, 0xFFFF, 0);
    assert_int_equal(get_at(0x37C, 0), 0); /* they were zero */
    for (unsigned id = 0; id < 16; id++)
        issue(id, id + 1);
    put_at(0x60, 0xFFFF8421, 9000);
    for (unsigned id = 0; id < 16; id++)
        assert_int_equal(counter_at(NIU_OUTSTANDING + id, 9000), 0x8421 >> id & 1 ? 0 : id + 1);
    assert_int_equal(get_at(0x37C, 9000), 0x8421);
}

/* ---- Interrupts ----------------------------------------------------------------------------------------- */

static void returns_to_zero(void **state) {
    (void)state;
    bench_init(1);
    issue(4, 2);
    respond(NOC_KIND_READ, 4, 4, 100);
    assert_int_equal(get_at(0x37C, 100), 0);
    respond(NOC_KIND_READ, 4, 4, 101);
    assert_int_equal(get_at(0x37C, 101), 1 << 4);
    assert_int_equal(bench.interrupts, 0); /* not enabled */
    issue(4, 1);
    assert_int_equal(get_at(0x37C, 120), 1 << 4); /* stays */
    put_at(0x37C, 0, 120);
    assert_int_equal(get_at(0x37C, 120), 1 << 4); /* read-only */
    put_at(0x17C, ~(1u << 4), 120);
    assert_int_equal(get_at(0x37C, 120), 1 << 4);
    put_at(0x17C, 1 << 4, 120);
    assert_int_equal(get_at(0x37C, 120), 0);
}

static void the_interrupt_follows_enabled_sources(void **state) {
    (void)state;
    bench_init(1);
    put_at(0x178, 1 << 4, 50);
    issue(4, 1);
    issue(5, 1);
    respond(NOC_KIND_READ, 5, 4, 100);
    assert_int_equal(bench.interrupts, 0);
    respond(NOC_KIND_READ, 4, 4, 110);
    assert_int_equal(bench.interrupts, 1);
    assert_true(bench.raised);
    assert_int_equal(bench.raised_at, 110);
    put_at(0x17C, 1 << 5, 115);
    assert_int_equal(bench.interrupts, 1);
    put_at(0x17C, 1 << 4, 120);
    assert_int_equal(bench.interrupts, 2);
    assert_false(bench.raised);
    assert_int_equal(bench.raised_at, 120);
    issue(5, 1);
    respond(NOC_KIND_READ, 5, 4, 130);
    assert_int_equal(bench.interrupts, 2);
    put_at(0x178, 0xFFFF, 140); /* enabling one that is there raises it */
    assert_int_equal(bench.interrupts, 3);
    put_at(0x178, 0, 150);
    assert_int_equal(bench.interrupts, 4);
    assert_false(bench.raised);
}

/* Reading the number takes an id out of the sources; with bit 28 it stays, and the next read names the next. */
static void the_number_of_a_source(void **state) {
    (void)state;
    bench_init(0);
    assert_int_equal(get_at(0x378, 50), 0);
    put_at(0x178, 0xF0F0, 50);
    assert_int_equal(niu_poke(&bench.niu, 0x37C, 0x3FFF).result, ACCESS_DONE);
    put_at(0x40, 0, 50);
    assert_true(bench.raised);
    assert_false(niu_steady(&bench.niu, 0x378));
    assert_false(niu_steady(&bench.niu, 0x1B78));
    assert_true(niu_steady(&bench.niu, 0x37C));
    static const uint32_t order[] = { 4, 5, 6, 7, 12, 13 };
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(get_at(0x378, 60), order[i]);
    assert_false(bench.raised);
    assert_true(niu_steady(&bench.niu, 0x378));
    assert_int_equal(get_at(0x37C, 60), 0x0F0F);
    assert_int_equal(get_at(0x378, 60), 0);
    assert_int_equal(get_at(0x37C, 60), 0x0F0F);
    put_at(0x178, 1u << 28 | 6, 70);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(get_at(0x378, 70), 1 + i % 2);
    assert_int_equal(get_at(0x37C, 70), 0x0F0F);
    assert_true(bench.raised);
}

/* There are sixteen ids. */
static void sources_that_are_poked(void **state) {
    (void)state;
    bench_init(0);
    assert_int_equal(niu_poke(&bench.niu, 0x37C, UINT32_MAX).result, ACCESS_DONE);
    assert_int_equal(get_at(0x37C, 50), 0xFFFF);
    assert_int_equal(niu_poke(&bench.niu, 0x378, 0).result, ACCESS_DONE); /* the number is found, not stored */
    assert_int_equal(get_at(0x37C, 50), 0xFFFF);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receivers),
        cmocka_unit_test(responses),
        cmocka_unit_test(the_response_that_fits_a_request),
        cmocka_unit_test(senders),
        cmocka_unit_test(time_makes_no_difference),
        cmocka_unit_test(counters_of_ids_wrap),
        cmocka_unit_test(multicasts_leave_the_counter_odd),
        cmocka_unit_test(clearing),
        cmocka_unit_test(returns_to_zero),
        cmocka_unit_test(the_interrupt_follows_enabled_sources),
        cmocka_unit_test(the_number_of_a_source),
        cmocka_unit_test(sources_that_are_poked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
