/* NIUs beyond plain requests: request FIFOs, unsafe inline data, multicasts that wrap and exclude tiles, tiles that
 * have only their NIUs. */
#include <stdio.h>

#include "isa/tensix.h"
#include "support/noc_stage.h"

/* ---- Unsafe, but done ------------------------------------------------------------------------------------------ */

struct heard {
    unsigned count;
    struct bh_fault first;
    uint64_t hash; /* of all, in their order */
};

static void on_warning(void *user, bh_chip *chip, const struct bh_fault *warning) {
    struct heard *heard = user;
    assert_true(bh_cycle(chip) > 0);
    if (heard->count++ == 0)
        heard->first = *warning;
    heard->hash = (heard->hash ^ warning->cycle ^ (uint64_t)warning->tile.x << 40 ^ (uint64_t)warning->tile.y << 48) *
                  UINT64_C(0x100000001B3);
}

static bh_chip *make_listening(struct heard *heard, unsigned threads) {
    struct bh_config config;
    bh_config_init(&config);
    config.threads = threads;
    config.on_warning = heard ? on_warning : NULL;
    config.user = heard;
    return make_configured(&config);
}

static struct script_request inline_to(struct bh_xy to, uint32_t address, uint32_t value, uint32_t mask) {
    return (struct script_request){
        .targ_lo = address,
        .targ_hi = xy(to),
        .ctrl = SCRIPT_WRITE | SCRIPT_INLINE | SCRIPT_MARKED,
        .len = mask,
        .data = value,
    };
}

/* The selected bytes are written with and without on_warning; the core goes on. */
static void inline_data_in_l1_is_told_once_a_niu(void **state) {
    (void)state;
    for (unsigned listens = 0; listens < 2; listens++) {
        struct heard heard = { 0 };
        bh_chip *chip = make_listening(listens ? &heard : NULL, 1);
        struct script script = { 0 };
        fill(chip, there, DATA, 12, 0x11111111);
        request(&script, 0, inline_to(there, DATA + 4, 0xAABBCCDD, 0xF0));
        request(&script, 0, inline_to(there, DATA + 0x18, 0x01020304, 0xF << 24));
        request(&script, 0, inline_to(there, DATA + 0x20, 0x55667788, 0x6));
        request(&script, 0, inline_to(there, 0xFFB40028, 5, 0)); /* registers are safe */
        wait_for(&script, 0, NIU_WR_ACK_RECEIVED, 4);
        script_put(&script, SCRIPT_STORE, DONE, 1);
        start(chip, here, BH_NCRISC, &script);
        run(chip);
        assert_int_equal(peek_word(chip, here, DONE), 1);
        for (uint32_t i = 0; i < 12; i++) {
            uint32_t expected = 0x11111111 + i;
            expected = i == 1   ? 0xAABBCCDD
                       : i == 6 ? 0x01020304
                       : i == 8 ? (expected & 0xFF0000FF) | 0x667700
                                : expected;
            assert_int_equal(peek_word(chip, there, DATA + 4 * i), expected);
        }
        assert_int_equal(heard.count, listens);
        if (listens) {
            assert_int_equal(heard.first.kind, BH_FAULT_UNDEFINED);
            assert_int_equal(heard.first.core, BH_NCRISC);
            assert_int_equal(heard.first.tile.x, here.x);
            assert_int_equal(heard.first.tile.y, here.y);
            assert_int_equal(heard.first.address, DATA);
            assert_non_null(strstr(heard.first.text, "ncrisc at pc 0x20"));
            assert_non_null(strstr(heard.first.text,
                                   "NoC 0, command buffer 0 of tile (1,2): inline write to 0x40000 of "
                                   "tile (2,2), 4 bytes: inline data to L1 is not safe on Blackhole"));
        }
        bh_destroy(chip);
    }
}

/* A multicast is reported too, in the same order on any number of host threads. */
static void warnings_are_heard_in_order(void **state) {
    struct heard alone = { 0 };
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct heard heard = { 0 };
        bh_chip *chip = make_listening(&heard, threads);
        for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++) {
            struct script script = { 0 };
            struct script_request r = inline_to(there, DATA + 16 * i, i + 1, 0xFFFF);
            r.targ_hi = script_area(1, 2, 16, 11);
            r.ctrl = SCRIPT_WRITE | SCRIPT_INLINE | SCRIPT_MULTICAST | SCRIPT_RESERVE | SCRIPT_INCLUDE_SELF;
            for (unsigned k = 0; k < i % 7; k++)
                script_put(&script, SCRIPT_ADD, 0x8000, 1);
            request(&script, 0, r);
            request(&script, 1, inline_to(there, DATA + 0x8000, 1, 0xF));
            start(chip, chip_made(chip, i)->xy, BH_BRISC, &script);
        }
        run(chip);
        for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++)
            for (uint32_t word = 0; word < 4; word++)
                assert_int_equal(count_with(chip, DATA + 16 * i + 4 * word, i + 1), TOPOLOGY_TENSIX);
        assert_int_equal(heard.count, 2 * TOPOLOGY_TENSIX);
        alone = threads == 1 ? heard : alone;
        assert_true(heard.hash == alone.hash);
        assert_string_equal(heard.first.text, alone.first.text);
        bh_destroy(chip);
    }
}

/* ---- FIFOs ------------------------------------------------------------------------------------------------------- */

enum { CFG_0 = 0x100, AVAIL = 0x64, OVFL = 0x68, FIFO_ON = 1 << 16 };

/* Sends the request again from another address, whether or not the buffer has sent the last one. */
static void once_more(struct script *script, unsigned noc, unsigned buffer, uint32_t from) {
    script_put(script, SCRIPT_STORE, script_niu(noc, buffer), from);
    script_put(script, SCRIPT_STORE, script_niu(noc, buffer) + 0x40, 1);
}

/* Seventeen long writes at once, and one more when half of them have left; all arrive in their order. */
static void a_core_fills_a_fifo(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++) {
        bh_chip *chip = make();
        struct script script = { 0 };
        uint32_t niu = script_niu(noc, 0), config = peek_word(chip, here, niu + CFG_0);
        struct bh_core_info info;
        for (uint32_t i = 0; i < 18; i++)
            fill(chip, here, DATA + i * 16384, 1, i + 1);
        script_put(&script, SCRIPT_STORE, niu + CFG_0, config | FIFO_ON);
        struct script_request r = write_to(here, DATA, there, DATA, 16384);
        script_request(&script, noc, 2, &r);
        for (uint32_t i = 1; i < 17; i++)
            once_more(&script, noc, 2, DATA + i * 16384);
        script_put(&script, SCRIPT_WAIT, niu + AVAIL, 0x10081010); /* half of it is free */
        once_more(&script, noc, 2, DATA + 17 * 16384);
        wait_for(&script, noc, NIU_WR_ACK_RECEIVED, 18);
        script_put(&script, SCRIPT_STORE, DONE, 1);
        start(chip, here, BH_BRISC, &script);
        uint64_t last = 0;
        for (uint32_t i = 0; i < 18; i++) {
            uint64_t time = changes_at(chip, there, DATA);
            assert_int_equal(peek_word(chip, there, DATA), i + 1);
            if (i) /* the link is hardly ever idle */
                assert_in_range(time - last, 257, 257 + 64);
            last = time;
            assert_int_equal(bh_core_query(chip, here, BH_BRISC, &info), BH_OK);
            assert_true((i != 5 && i != 14) || info.state == BH_CORE_POLLING);
        }
        run(chip);
        assert_int_equal(peek_word(chip, here, DONE), 1);
        assert_int_equal(peek_word(chip, here, niu + AVAIL), 0x10101010);
        assert_int_equal(peek_word(chip, here, niu + OVFL), 0);
        bh_destroy(chip);
    }
}

static void a_full_fifo_faults(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    uint32_t niu = script_niu(1, 0);
    script_put(&script, SCRIPT_STORE, niu + CFG_0, peek_word(chip, here, niu + CFG_0) | FIFO_ON);
    struct script_request r = write_to(here, DATA, there, DATA, 16384);
    script_request(&script, 1, 3, &r);
    for (unsigned i = 0; i < 30; i++)
        once_more(&script, 1, 3, DATA);
    start(chip, here, BH_TRISC2, &script);
    struct bh_fault fault = run_into_fault(chip);
    assert_int_equal(fault.core, BH_TRISC2);
    if (!strstr(fault.text, "NoC 1 command buffer 3: CMD_CTRL: its FIFO is full"))
        fail_msg("%s", fault.text);
    assert_int_equal(peek_word(chip, here, niu + OVFL), 8);
    bh_destroy(chip);
}

/* ---- Multicasts -------------------------------------------------------------------------------------------------- */

static const uint32_t cast = SCRIPT_WRITE | SCRIPT_MULTICAST | SCRIPT_RESERVE | SCRIPT_MARKED;

static unsigned receivers_of(unsigned noc, uint32_t area, uint32_t ctrl, uint32_t exclude) {
    bh_chip *chip = make();
    struct script script = { 0 };
    struct script_request r = write_to(here, DATA, here, DATA + 0x1000, 64);
    r.ret_hi = area;
    r.ctrl = ctrl;
    r.exclude = exclude;
    put_word(chip, here, DATA, 77);
    request(&script, noc, r);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    unsigned count = count_with(chip, DATA + 0x1000, 77);
    assert_int_equal(counter_at(chip, here, noc, NIU_WR_ACK_RECEIVED), count);
    assert_int_equal(counter_at(chip, here, noc, NIU_OUTSTANDING), (1 - count) & 255);
    bh_destroy(chip);
    return count;
}

/* NoC 1 counts the other way round, so that there what wraps is what is in order here. */
static void rectangles_wrap(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++)
        for (unsigned y_major = 0; y_major < 2; y_major++) {
            uint32_t ctrl = cast | y_major << 16;
            /* all columns but 8 and 9, all rows: the whole grid by the back door */
            assert_int_equal(receivers_of(noc, script_area(10, 7, 7, 6), ctrl, 0), noc ? 4 : 139);
            assert_int_equal(receivers_of(noc, script_area(7, 6, 10, 7), ctrl, 0), noc ? 139 : 4);
            assert_int_equal(receivers_of(noc, script_area(10, 7, 7, 6), ctrl | SCRIPT_INCLUDE_SELF, 0), noc ? 4 : 140);
        }
}

/* A quadrant from a corner on, to either side; columns that take turns. */
static void parts_are_left_out(void **state) {
    enum { APPLY = 1 << 22, RIGHT = 1 << 20, DOWN = 1 << 21 };
    const uint32_t corner = 4 << 8 | 5 << 14 | APPLY, all = script_area(1, 2, 16, 11);
    (void)state;
    assert_int_equal(receivers_of(0, all, cast, corner), 139 - 4 * 4 + 1); /* the sender is among them */
    assert_int_equal(receivers_of(0, all, cast, corner | RIGHT), 139 - 11 * 4);
    assert_int_equal(receivers_of(0, all, cast, corner | DOWN), 139 - 4 * 7);
    assert_int_equal(receivers_of(0, all, cast, corner | RIGHT | DOWN), 139 - 11 * 7);
    assert_int_equal(receivers_of(0, all, cast, 1 | 1 << 2), 69);                /* columns 1, 3, 5, 7, 11, 13, 15 */
    assert_int_equal(receivers_of(0, all, cast, (1 | 2 << 2) << 4), 4 * 14 - 1); /* rows 2, 5, 8, 11 */
}

/* Bytes and the flag behind them, as one transaction: no agent sees the flag before the bytes. */
static void linked_multicasts_stay_together(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++) {
        bh_chip *chip = make();
        struct script sends = { 0 };
        struct script_request data = write_to(here, DATA, here, DATA + 0x8000, 8192);
        data.ret_hi = noc ? script_area(16, 11, 1, 2) : script_area(1, 2, 16, 11);
        data.ctrl = SCRIPT_WRITE | SCRIPT_MULTICAST | SCRIPT_RESERVE | SCRIPT_STATIC_VC | 4 << 13 | SCRIPT_LINKED;
        struct script_request flag = data;
        flag.targ_lo = DATA + 0x4000;
        flag.ret_lo = DATA + 0xC000;
        flag.len = 16;
        flag.ctrl &= ~(uint32_t)SCRIPT_LINKED;
        fill(chip, here, DATA, 2048, 0x1000);
        put_word(chip, here, DATA + 0x4000, 1);
        script_request(&sends, noc, 1, &data);
        script_request(&sends, noc, 2, &flag);
        for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++) {
            struct script looks = { 0 };
            struct bh_xy at = chip_made(chip, i)->xy;
            if (at.x == here.x && at.y == here.y)
                continue;
            script_put(&looks, SCRIPT_WAIT, DATA + 0xC000, 1);
            request(&looks, 0, write_to(at, DATA + 0x8000 + 8192 - 16, at, DATA + 0x10000, 16));
            start(chip, at, BH_NCRISC, &looks);
        }
        start(chip, here, BH_BRISC, &sends);
        run(chip);
        assert_int_equal(count_with(chip, DATA + 0x10000 + 12, 0x1000 + 2047), 139);
        bh_destroy(chip);
    }
}

/* A request that does not belong to the open transaction names NoC, buffer and field. */
static void a_linked_request_must_be_followed(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    struct script_request r = write_to(here, DATA, there, DATA, 64);
    r.ctrl |= SCRIPT_LINKED;
    script_request(&script, 1, 1, &r);
    r = write_to(here, DATA, (struct bh_xy){ 5, 5 }, DATA, 64);
    script_request(&script, 1, 3, &r);
    start(chip, here, BH_BRISC, &script);
    struct bh_fault fault = run_into_fault(chip);
    if (!strstr(fault.text, "NoC 1 command buffer 3: CTRL: the request before it is linked (VC_LINKED), but goes else"))
        fail_msg("%s", fault.text);
    bh_destroy(chip);
}

/* ---- Stream registers -------------------------------------------------------------------------------------------- */

static uint32_t stream(unsigned number, unsigned index) {
    return 0xFFB40000 + number * 0x1000 + index * 4;
}

/* Dispatch counts workers so: each worker adds one to the space of a stream by posting to UPDATE; the dispatcher sleeps
 * until all have, subtracts them in the same way, and sets the space by the buffer's size. */
static void workers_tell_dispatch(void **state) {
    enum { SIZE = 10, UPDATE = 270, SPACE = 297, STREAM = 48, WORKERS = TOPOLOGY_TENSIX - 1 };
    bh_chip *chip = make();
    struct script dispatch = { 0 };
    struct bh_core_info info;
    (void)state;
    script_put(&dispatch, SCRIPT_STORE, stream(STREAM, SIZE), 0x1FFFF); /* 17 bits: it wraps on the way */
    script_put(&dispatch, SCRIPT_WAIT, stream(STREAM, SPACE), WORKERS - 1);
    script_put(&dispatch, SCRIPT_STORE, stream(STREAM, UPDATE), (0u - WORKERS) << 6);
    script_put(&dispatch, SCRIPT_WAIT, stream(STREAM, SPACE), 0x1FFFF);
    request(&dispatch, 1, inline_to(here, stream(STREAM, SIZE), 7, 0xF));
    script_put(&dispatch, SCRIPT_WAIT, stream(STREAM, SPACE), 7);
    script_put(&dispatch, SCRIPT_STORE, DONE, 1);
    start(chip, here, BH_NCRISC, &dispatch);
    assert_int_equal(bh_run(chip, 5000, 0, NULL), BH_OK);
    assert_int_equal(bh_core_query(chip, here, BH_NCRISC, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_POLLING);
    for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++) {
        struct script worker = { 0 };
        struct script_request r = inline_to(here, stream(STREAM, UPDATE), 1 << 6, 0xF);
        struct bh_xy at = chip_made(chip, i)->xy;
        r.ctrl &= ~(uint32_t)SCRIPT_MARKED;
        if (at.x == here.x && at.y == here.y)
            continue;
        request(&worker, i % 2, r);
        start(chip, at, BH_BRISC, &worker);
    }
    run(chip);
    assert_int_equal(peek_word(chip, here, DONE), 1);
    assert_int_equal(peek_word(chip, here, stream(STREAM + 1, SPACE)), 0);
    bh_destroy(chip);
}

/* A Tensix thread held by STREAMWAIT goes on when the phase of its stream is written from afar. */
static void a_thread_waits_for_a_stream(void **state) {
    enum { CURR_PHASE = 29, EBREAK = 0x00100073 };
    const uint32_t wait = tensix_encode_STREAMWAIT((struct tensix_STREAMWAIT){ .stall_res = 0x1FF, .target_value = 5 });
    const uint32_t post = tensix_encode_SEMPOST((struct tensix_SEMPOST){ .sem_sel = 1 << 3 });
    const uint32_t program[] = { tensix_to_stream(wait), tensix_to_stream(post), EBREAK };
    uint32_t semaphore;
    (void)state;
    for (uint32_t phase = 4; phase < 6; phase++) {
        bh_chip *chip = make();
        struct script script = { 0 };
        start_at(chip, there, BH_TRISC1, 0xA000, program, sizeof program);
        assert_int_equal(bh_run(chip, 3000, 0, NULL), BH_OK);
        request(&script, 0, inline_to(there, stream(0, CURR_PHASE), phase, 0xF));
        start(chip, here, BH_BRISC, &script);
        run(chip);
        assert_int_equal(bh_semaphore_get(chip, there, 3, &semaphore, NULL), BH_OK);
        assert_int_equal(semaphore, phase >= 5);
        bh_destroy(chip);
    }
}

/* A rectangle's circular buffers by one multicast of four bytes. */
static void a_multicast_writes_stream_registers(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    struct script_request r = write_to(here, DATA + 8, here, stream(3, 10), 4);
    r.ret_hi = script_area(1, 2, 16, 11);
    r.ctrl = cast | SCRIPT_INCLUDE_SELF;
    put_word(chip, here, DATA + 8, 0x1234);
    request(&script, 0, r);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_int_equal(count_with(chip, stream(3, 10), 0x1234), TOPOLOGY_TENSIX);
    assert_int_equal(count_with(chip, stream(3, 297), 0x1234), TOPOLOGY_TENSIX);
    bh_destroy(chip);
}

/* ---- Tiles of which only the NIUs are there ---------------------------------------------------------------------- */

static const struct {
    struct bh_xy at;
    uint32_t endpoint; /* on NoC 0 */
    enum bh_fault_kind kind;
    const char *text;
} quiet[] = {
    { { 8, 26 }, 0x00090100, BH_FAULT_UNMODELLED, "of L2CPU tiles only the NIUs are modelled" },
    { { 8, 27 }, 0x00090101, BH_FAULT_UNMODELLED, "of L2CPU tiles only the NIUs are modelled" },
    { { 8, 28 }, 0x00090102, BH_FAULT_UNMODELLED, "of L2CPU tiles only the NIUs are modelled" },
    { { 8, 29 }, 0x00090103, BH_FAULT_UNMODELLED, "of L2CPU tiles only the NIUs are modelled" },
    { { 8, 30 }, 0x000A0000, BH_FAULT_UNMODELLED, "of the security tile only the NIUs are modelled" },
    { { 3, 0 }, 0, BH_FAULT_UNMAPPED, "there is nothing but a router" },
};

/* The identity of each tile, as a core reads it over either NoC at the long address (router-only tiles: the short
 * one). */
static void quiet_tiles_say_who_they_are(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
        for (unsigned noc = 0; noc < 2; noc++) {
            bh_chip *chip = make();
            struct script script = { 0 };
            struct bh_tile_info info;
            assert_int_equal(bh_tile_find(chip, quiet[i].at, &info), BH_OK);
            bool router = info.kind == BH_TILE_ROUTER;
            struct bh_xy by = router && noc ? info.noc1 : quiet[i].at, raw = noc ? info.noc1 : info.noc0;
            for (uint32_t k = 0; k < 2; k++) {
                struct script_request r = read_from(by, 0xFFB20044 + 4 * k, here, DATA + 4 + 4 * k, 4);
                r.targ_mid = router ? 0 : 0xFFFFFFFF;
                request(&script, noc, r);
            }
            start(chip, here, BH_BRISC, &script);
            run(chip);
            assert_int_equal(peek_word(chip, here, DATA + 4) & 0xFFF, xy(raw));
            if (!router)
                assert_int_equal(peek_word(chip, here, DATA + 8), quiet[i].endpoint | noc << 24);
            bh_destroy(chip);
        }
}

static void whatever_else_is_asked_of_them_faults(void **state) {
    static const uint64_t addresses[] = { 0x1000, 0x2000, UINT64_C(0x0000003000002000) };
    (void)state;
    for (unsigned i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
        for (unsigned write = 0; write < 2; write++)
            for (unsigned a = 0; a < 3; a++) {
                bh_chip *chip = make();
                struct script script = { 0 };
                uint32_t low = (uint32_t)addresses[a], high = (uint32_t)(addresses[a] >> 32), word;
                struct script_request r =
                    write ? write_to(here, DATA, quiet[i].at, low, 64) : read_from(quiet[i].at, low, here, DATA, 64);
                *(write ? &r.ret_mid : &r.targ_mid) = high;
                script_request(&script, 0, 2, &r);
                start(chip, here, BH_BRISC, &script);
                struct bh_fault fault = run_into_fault(chip);
                assert_int_equal(fault.kind, quiet[i].kind);
                assert_int_equal(fault.address, addresses[a]);
                if (!strstr(fault.text, quiet[i].text) || !strstr(fault.text, "NoC 0, command buffer 2 of tile (1,2)"))
                    fail_msg("%s", fault.text);
                assert_int_not_equal(bh_read(chip, quiet[i].at, addresses[a], &word, sizeof word), BH_OK);
                assert_non_null(strstr(bh_message(chip), quiet[i].text));
                bh_destroy(chip);
            }
}

/* Served tiles have no L1 for atomics, and take no inline data. */
static void nor_do_they_take_atomics(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof quiet / sizeof quiet[0]; i++) {
        bh_chip *chip = make();
        struct script script = { 0 };
        request(&script, 0, increment(here, quiet[i].at, 0x1000, DATA));
        start(chip, here, BH_BRISC, &script);
        struct bh_fault fault = run_into_fault(chip);
        assert_int_equal(fault.kind, BH_FAULT_UNDEFINED);
        if (!strstr(fault.text, "command buffer 0: CTRL: an atomic, but TARG_ADDR_HI names no Tensix or Ethernet tile"))
            fail_msg("%s", fault.text);
        bh_destroy(chip);
    }
}

/* ---- Performance counters of L1 -------------------------------------------------------------------------------- */

static uint32_t requests_at(bh_chip *chip, struct bh_xy tile, unsigned mux, unsigned port) {
    put_word(chip, tile, 0xFFB12034, port << 8);
    put_word(chip, tile, 0xFFB12218, mux << 4);
    return read_word(chip, tile, 0xFFB1211C);
}

/* A write of 300 bytes is five times 64, a read of 64 is one, and an atomic is one. Data that are read leave the other
 * tile and come in here. Nothing counts before the start and after the stop. */
static void niu_requests_to_l1_are_counted(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++) {
        bh_chip *chip = make();
        struct script script = { 0 };
        request(&script, noc, write_to(here, DATA, there, DATA, 300));
        request(&script, noc, read_from(there, DATA, here, DATA, 64));
        request(&script, noc, increment(here, there, DATA, DATA + 0x1000));
        wait_for(&script, noc, NIU_WR_ACK_RECEIVED, 1);
        wait_for(&script, noc, NIU_RD_RESP_RECEIVED, 1);
        wait_for(&script, noc, NIU_ATOMIC_RESP_RECEIVED, 1);
        start(chip, here, BH_NCRISC, &script);
        put_word(chip, here, 0xFFB12038, 1);
        put_word(chip, there, 0xFFB12038, 1);
        run(chip);
        for (unsigned port = 4; port < 8; port++) {
            bool in = port >= 6;
            assert_int_equal(requests_at(chip, here, noc, port), in ? 1 + 1 : 5);
            assert_int_equal(requests_at(chip, there, noc, port), in ? 5 + 1 : 1);
            assert_int_equal(requests_at(chip, there, noc, 256 + port), in ? 5 + 1 : 1);
            assert_int_equal(requests_at(chip, here, !noc, port), 0);
        }
        put_word(chip, here, 0xFFB12038, 2);
        struct script more = { 0 };
        request(&more, noc, write_to(here, DATA, there, DATA, 64));
        wait_for(&more, noc, NIU_WR_ACK_RECEIVED, 2);
        assert_int_equal(bh_hold(chip, here, 1u << BH_NCRISC), BH_OK);
        start(chip, here, BH_NCRISC, &more);
        run(chip);
        assert_int_equal(requests_at(chip, here, noc, 4), 5);
        assert_int_equal(requests_at(chip, there, noc, 6), 5 + 1 + 1);
        bh_destroy(chip);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inline_data_in_l1_is_told_once_a_niu),
        cmocka_unit_test(warnings_are_heard_in_order),
        cmocka_unit_test(a_core_fills_a_fifo),
        cmocka_unit_test(a_full_fifo_faults),
        cmocka_unit_test(rectangles_wrap),
        cmocka_unit_test(parts_are_left_out),
        cmocka_unit_test(linked_multicasts_stay_together),
        cmocka_unit_test(a_linked_request_must_be_followed),
        cmocka_unit_test(workers_tell_dispatch),
        cmocka_unit_test(a_thread_waits_for_a_stream),
        cmocka_unit_test(a_multicast_writes_stream_registers),
        cmocka_unit_test(quiet_tiles_say_who_they_are),
        cmocka_unit_test(whatever_else_is_asked_of_them_faults),
        cmocka_unit_test(nor_do_they_take_atomics),
        cmocka_unit_test(niu_requests_to_l1_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
