/* A NIU of a Tensix tile at NoC 0 (2,5) of a P150, with a carrier that keeps what it is given. */
#ifndef TESTS_NOC_BENCH_H
#define TESTS_NOC_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "chip/topology.h"
#include "noc/niu.h"

enum { BENCH_SITE = 5 * 17 + 2, BENCH_PACKETS = 512 };

/* Bits of CTRL. */
enum {
    READ = 0,
    ATOMIC = 1,
    WRITE = 2,
    BYTE_ENABLE = 1 << 2,
    INLINE = 1 << 3,
    MARKED = 1 << 4,
    MULTICAST = 1 << 5,
    LINKED = 1 << 6,
    STATIC = 1 << 7,
    RESERVE = 1 << 8,
    Y_MAJOR = 1 << 16,
    INCLUDE_SOURCE = 1 << 17,
};

struct bench {
    struct niu niu;
    struct niu_wire wire;
    struct noc_grid grid;
    struct topology topology;
    unsigned sent;
    struct noc_request packet[BENCH_PACKETS];
    unsigned interrupts, warnings;
    bool raised;
    uint64_t raised_at;
};

static struct bench bench;

static void bench_send(void *owner, const struct noc_request *request) {
    struct bench *b = owner;
    assert_true(b->sent < BENCH_PACKETS);
    b->packet[b->sent++] = *request;
}

static void bench_interrupt(void *owner, unsigned noc, bool raised, uint64_t time) {
    struct bench *b = owner;
    assert_int_equal(noc, b->niu.noc);
    b->interrupts++;
    b->raised = raised;
    b->raised_at = time;
}

static void bench_warn(void *owner, const struct noc_request *request, const char *why) {
    struct bench *b = owner;
    assert_int_equal(request->kind, NOC_KIND_INLINE);
    assert_non_null(strstr(why, "inline data to L1"));
    b->warnings++;
}

static const struct niu_port bench_port = { .send = bench_send, .warn = bench_warn, .interrupt = bench_interrupt };

static void bench_board(unsigned noc, const struct bh_config *config) {
    memset(&bench, 0, sizeof bench);
    assert_null(topology_init(&bench.topology, config));
    for (unsigned site = 0; site < NOC_SITES; site++) {
        bench.grid.kind[site] = (uint8_t)bench.topology.site[site].kind;
        bench.grid.dead[site] = bench.topology.site[site].harvested;
        bench.grid.translated[site] = bench.topology.site[site].translated;
    }
    route_firmware(&bench.grid);
    bench.wire = (struct niu_wire){ .port = &bench_port, .owner = &bench, .grid = &bench.grid };
    niu_init(&bench.niu, noc, (struct bh_xy){ 2, 5 }, bench.grid.translated[BENCH_SITE], NIU_CLASS_TENSIX, 9);
    niu_configure(&bench.niu, &bench.grid);
}

static inline void bench_init(unsigned noc) {
    struct bh_config config;
    bh_config_board(&config, BH_BOARD_P150);
    bench_board(noc, &config);
}

/* ---- Registers ------------------------------------------------------------------------------------------ */

static inline struct access try_put(uint32_t offset, uint32_t value, uint64_t time) {
    return niu_write(&bench.niu, &bench.wire, offset, time, value);
}

static inline void put_at(uint32_t offset, uint32_t value, uint64_t time) {
    struct access access = try_put(offset, value, time);
    if (access.result != ACCESS_DONE)
        fail_msg("0x%x: %s", offset, access.text);
}

static inline uint32_t get_at(uint32_t offset, uint64_t time) {
    uint32_t value = 0xDEAD, peeked = 0xBEEF;
    niu_run(&bench.niu, time);
    assert_int_equal(niu_peek(&bench.niu, offset, &peeked).result, ACCESS_DONE);
    assert_int_equal(niu_read(&bench.niu, &bench.wire, offset, time, &value).result, ACCESS_DONE);
    assert_int_equal(value, peeked);
    return value;
}

static inline uint32_t counter_at(unsigned index, uint64_t time) {
    return get_at(0x200 + 4 * index, time);
}

/* ---- Commands ------------------------------------------------------------------------------------------- */

struct command {
    uint32_t ctrl, tag;
    uint64_t targ, ret;
    uint32_t targ_hi, ret_hi;
    uint64_t length;
    uint32_t data, exclude;
};

static inline uint32_t at(unsigned x, unsigned y) {
    return x | y << 6;
}

static inline uint32_t rectangle(unsigned start_x, unsigned start_y, unsigned end_x, unsigned end_y) {
    return at(end_x, end_y) | at(start_x, start_y) << 12;
}

static inline void fill(unsigned buffer, const struct command *c, uint64_t time) {
    const uint32_t word[] = {
        (uint32_t)c->targ,
        (uint32_t)(c->targ >> 32),
        c->targ_hi,
        (uint32_t)c->ret,
        (uint32_t)(c->ret >> 32),
        c->ret_hi,
        c->tag,
        c->ctrl,
        (uint32_t)c->length,
        (uint32_t)(c->length >> 32),
        c->data,
        c->exclude,
    };
    for (unsigned i = 0; i < sizeof word / sizeof word[0]; i++)
        put_at(buffer * 0x800 + 4 * i, word[i], time);
}

static inline struct access try_go(unsigned buffer, const struct command *c, uint64_t time) {
    fill(buffer, c, time);
    return try_put(buffer * 0x800 + 0x40, 1, time);
}

/* The last packet that it made. */
static inline const struct noc_request *go(unsigned buffer, const struct command *c, uint64_t time) {
    struct access access = try_go(buffer, c, time);
    if (access.result != ACCESS_DONE)
        fail_msg("%s", access.text);
    return &bench.packet[bench.sent - 1];
}

/* By command buffer 3, and why. */
static inline void refused(const struct command *c, enum bh_fault_kind kind, const char *why) {
    char text[200];
    snprintf(text, sizeof text, "NoC %u command buffer 3: %s", bench.niu.noc, why);
    unsigned sent = bench.sent;
    uint32_t outstanding = bench.niu.count[NIU_OUTSTANDING];
    struct access access = try_go(3, c, 5);
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_string_equal(access.text, text);
    assert_int_equal(access.kind, kind);
    assert_int_equal(bench.sent, sent);
    assert_int_equal(bench.niu.count[NIU_OUTSTANDING], outstanding);
    assert_int_equal(get_at(3 * 0x800 + 0x40, 6), 0);
}

#endif
