/* Packets on a NoC: the contract between the NIUs, which make requests and count, and the carrier of packets.
 *
 * A site is y * 17 + x in coordinates of NoC 0, on both NoCs. A NIU hands over complete requests: coordinates are
 * translated, lengths and addresses are checked, and transfers longer than a packet are split. The carrier reads the
 * bytes of a write from the sender's memory at once, moves the packet (noc/route.h has the latencies), applies it at
 * each receiver, sends the response, and makes the NIUs count every moment (noc/counters.h).
 *
 * Sources: BlackholeA0/NoC/README.md, MemoryMap.md, Counters.md. */
#ifndef NOC_PACKET_H
#define NOC_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "noc/timing.h"

enum {
    NOC_WIDTH = 17,
    NOC_HEIGHT = 12,
    NOC_SITES = NOC_WIDTH * NOC_HEIGHT,
    NOC_NOWHERE = 255, /* no site */
    NOC_FLIT = 64,     /* bytes */
    NOC_PACKET_MAX = 16384,
    NOC_MASKED_MAX = 64, /* number of bytes that a byte-enable mask covers */
};

/* A tile's registers begin here; below is L1 (Tensix and Ethernet tiles). */
#define NOC_MMIO UINT64_C(0xFF000000)

enum noc_kind {
    NOC_KIND_READ,   /* `length` bytes at `address` of `target` go to `reply_address` of `reply` */
    NOC_KIND_WRITE,  /* `length` bytes at `source_address` of the sender go to `address` of the receivers */
    NOC_KIND_MASKED, /* like NOC_KIND_WRITE with a `length` of 64, but only for bytes whose bit of `mask` is set */
    NOC_KIND_INLINE, /* the 4 bytes of `data` go to `address` of the receivers; a line of 16 bytes in L1 gets four
                      * copies, and only bytes whose bit of `mask` is set are written */
    NOC_KIND_ATOMIC, /* applies `atomic` with `data` (noc/atomic.h) at `address`; the result goes to `reply_address` of
                      * `reply` */
};
/* Transfers from registers are one to four bytes of one aligned word; transfers to registers are one aligned word.
 * NOC_KIND_MASKED from a register keeps `length` and `mask`, and repeats the word at `source_address`. */

/* A rectangle in coordinates of the request's NoC (start > end wraps), and the sites that are left out. */
struct noc_area {
    uint32_t exclude; /* BRCST_EXCLUDE (route.h); 0: no site is left out */
    uint8_t start_x, start_y, end_x, end_y;
    bool y_major;        /* the first axis of the tree is Y; distances are the same */
    bool include_source; /* false: the sender does not receive the packet */
};

/* A set of sites: bit site % 64 of word site / 64. */
struct noc_sites {
    uint64_t word[4];
};

/* The members before `length` follow from CTRL and PACKET_TAG, except target and reply. A plain write to one receiver
 * needs no member after the addresses. */
struct noc_request {
    uint8_t kind;      /* enum noc_kind */
    uint8_t noc;       /* 0, 1 */
    uint8_t initiator; /* 0..3, or NOC_OVERLAY or NOC_HOST */
    uint8_t id;        /* transaction id, 0..15 */
    uint8_t source;    /* the sender's site */
    uint8_t target;    /* the receiver's site; NOC_NOWHERE for a multicast */
    uint8_t reply;     /* the site to which read data, acknowledgement or atomic result goes */
    uint8_t vc;        /* class[2:1] buddy[0] of the first hop */
    uint8_t priority;
    bool marked; /* the request wants a response; reads always do */
    bool multicast;
    bool linked;       /* the sender's next request belongs to the same transaction */
    bool static_vc;    /* uses `vc` on every hop, which keeps the order of packets to the same receivers */
    bool reserve;      /* multicast: the path is reserved first (`time` includes that) */
    bool header_store; /* posted writes: the first 16 bytes also go to (uint64_t)data << 4 */
    bool to_overlay;   /* NOC_KIND_WRITE: the receivers notify a stream of the packet, as `tag` says */
    uint32_t length;   /* number of bytes of data requested or carried: 1..16384 */
    uint32_t data;     /* AT_DATA */
    uint64_t address;  /* at the receivers */
    union {
        uint64_t source_address; /* NOC_KIND_WRITE, NOC_KIND_MASKED: at the sender */
        uint64_t reply_address;  /* NOC_KIND_READ, NOC_KIND_ATOMIC: at `reply` */
    };
    union {
        uint16_t atomic; /* NOC_KIND_ATOMIC: operation and operands */
        uint16_t tag;    /* other kinds: NOC_TAG_*; 0 unless the packet is from or to a stream */
    };
    uint16_t reservation; /* multicast: cycles for reserving the path, before `time`; 0: none, or the path is already
                           * reserved */
    struct noc_area area; /* multicast */
    uint64_t mask;        /* NOC_KIND_MASKED: bit i is the byte at address + i */
    uint64_t time;        /* cycle in which the first flit leaves the NIU */
};

/* Bits of noc_request.tag: those of PACKET_TAG, and above them the stream that sent the packet, if the sender is an
 * overlay. */
enum { NOC_TAG_STREAM = 63, NOC_TAG_FIRST = 1 << 7, NOC_TAG_LAST = 1 << 8, NOC_TAG_SENDER_SHIFT = 10 };

enum { NOC_REQUEST_HEAD = offsetof(struct noc_request, length) };

enum { NOC_OVERLAY = 4, NOC_HOST = 5 }; /* initiators that are not command buffers */

static inline void noc_sites_add(struct noc_sites *sites, unsigned site) {
    sites->word[site / 64] |= UINT64_C(1) << site % 64;
}

static inline void noc_sites_remove(struct noc_sites *sites, unsigned site) {
    sites->word[site / 64] &= ~(UINT64_C(1) << site % 64);
}

static inline bool noc_sites_has(const struct noc_sites *sites, unsigned site) {
    return sites->word[site / 64] >> site % 64 & 1;
}

/* Removes the lowest site from a set and returns it; NOC_NOWHERE if the set is empty. */
static inline unsigned noc_sites_next(struct noc_sites *sites) {
    for (unsigned i = 0; i < 4; i++)
        if (sites->word[i]) {
            unsigned bit = (unsigned)__builtin_ctzll(sites->word[i]);
            sites->word[i] &= sites->word[i] - 1;
            return 64 * i + bit;
        }
    return NOC_NOWHERE;
}

static inline uint32_t noc_data_flits(uint32_t length) {
    return (length + NOC_FLIT - 1) / NOC_FLIT;
}

/* Returns whether the request carries bytes from the sender's memory. */
static inline bool noc_carries(const struct noc_request *request) {
    return request->kind == NOC_KIND_WRITE || request->kind == NOC_KIND_MASKED;
}

/* Returns the number of bytes from source_address on that the request needs: of a mask, up to the last byte that it
 * selects. */
static inline uint32_t noc_carried_bytes(const struct noc_request *request) {
    if (request->kind != NOC_KIND_MASKED)
        return request->length;
    return request->mask ? NOC_MASKED_MAX - (uint32_t)__builtin_clzll(request->mask) : 0;
}

/* Returns the number of data flits of a request. Inline data and operands of atomics are in the header. */
static inline uint32_t noc_request_words(const struct noc_request *request) {
    return noc_carries(request) ? noc_data_flits(request->length) : 0;
}

/* Returns the number of data flits of the response. */
static inline uint32_t noc_response_words(const struct noc_request *request) {
    return request->kind == NOC_KIND_READ ? noc_data_flits(request->length) : 0;
}

/* Return the number of flits of a packet with its header, which is also the number of cycles for which it occupies a
 * link. */
static inline uint32_t noc_request_flits(const struct noc_request *request) {
    return 1 + noc_request_words(request);
}

static inline uint32_t noc_response_flits(const struct noc_request *request) {
    return 1 + noc_response_words(request);
}

/* Returns the number of cycles in which a NIU sends this many data flits that it reads from L1. */
static inline uint32_t noc_fetch_cycles(uint32_t words) {
    return words + words / NOC_FETCH;
}

#endif
