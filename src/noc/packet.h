/* What travels on a NoC: the contract between the NIUs, which make requests and count, and whoever carries them.
 *
 * A place is a site: y * 17 + x as NoC 0 counts, whatever NoC the packet is on. A request is complete when the NIU
 * gives it away: coordinates are translated, lengths and addresses checked, transfers above a packet's limit split. The
 * carrier reads what a write sends from the sender's memory at once, moves the packet (noc/route.h says how long it
 * takes), does it at each receiver, sends the response, and has the NIUs count every moment of it (noc/counters.h).
 *
 * Sources: BlackholeA0/NoC/README.md, MemoryMap.md, Counters.md.
 */
#ifndef NOC_PACKET_H
#define NOC_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NOC_WIDTH = 17,
    NOC_HEIGHT = 12,
    NOC_SITES = NOC_WIDTH * NOC_HEIGHT,
    NOC_NOWHERE = 255, /* no site */
    NOC_FLIT = 64,     /* bytes */
    NOC_PACKET_MAX = 16384,
    NOC_MASKED_MAX = 64, /* bytes that a byte-enable mask selects from */
};

/* A tile's registers begin here; below is L1 (Tensix and Ethernet tiles). */
#define NOC_MMIO UINT64_C(0xFF000000)

enum noc_kind {
    NOC_KIND_READ,   /* `length` bytes at `address` of `target` go to `reply_address` of `reply` */
    NOC_KIND_WRITE,  /* `length` bytes at `source_address` of the sender go to `address` of the receivers */
    NOC_KIND_MASKED, /* the same, `length` is 64, but only bytes whose bit of `mask` is set are read and written */
    NOC_KIND_INLINE, /* `data`, a register's 4 bytes, goes to `address` of the receivers; in L1, where that is a line of
                      * 16 bytes, it is repeated, and bytes whose bit of `mask` is set are written */
    NOC_KIND_ATOMIC, /* `atomic` and `data` (noc/atomic.h) at `address`; the result goes to `reply_address` of `reply`
                      */
};
/* What comes from registers is one to four bytes of one aligned word; what goes to registers is an aligned word.
 * NOC_KIND_MASKED from registers: `length` and `mask` as ever, and the word at `source_address` is repeated. */

/* A rectangle as the request has it: coordinates of the NoC it is on, start > end wraps. Then what is left out. */
struct noc_area {
    uint32_t exclude; /* BRCST_EXCLUDE (route.h), 0: nothing */
    uint8_t start_x, start_y, end_x, end_y;
    bool y_major;        /* the tree's first axis is Y; it makes no difference to anyone's distance */
    bool include_source; /* else the sender does not receive it */
};

/* A set of sites: bit site % 64 of word site / 64. */
struct noc_sites {
    uint64_t word[4];
};

/* What comes before `length` is made of CTRL and PACKET_TAG, but for the target and the reply. What comes after the
 * addresses is nothing to a write of bytes to one receiver. */
struct noc_request {
    uint8_t kind;      /* enum noc_kind */
    uint8_t noc;       /* 0, 1 */
    uint8_t initiator; /* 0..3; NOC_OVERLAY, NOC_HOST */
    uint8_t id;        /* transaction id, 0..15 */
    uint8_t source;    /* the sender's site */
    uint8_t target;    /* the receiver's site; NOC_NOWHERE when multicast */
    uint8_t reply;     /* the site that read data, acknowledgement or atomic result goes to */
    uint8_t vc;        /* class[2:1] buddy[0] of the first hop */
    uint8_t priority;
    bool marked; /* a response is wanted; reads always have one */
    bool multicast;
    bool linked;       /* the sender's next request belongs to the same transaction */
    bool static_vc;    /* vc on every hop: in order with others to the same receivers */
    bool reserve;      /* multicast: the path is reserved first (its time is in `time` already) */
    bool header_store; /* posted writes: the first 16 bytes also go to (uint64_t)data << 4 */
    uint32_t length;   /* bytes of data asked for or carried: 1..16384 */
    uint32_t data;     /* AT_DATA */
    uint64_t address;  /* at the receivers */
    union {
        uint64_t source_address; /* NOC_KIND_WRITE, NOC_KIND_MASKED: at the sender */
        uint64_t reply_address;  /* NOC_KIND_READ, NOC_KIND_ATOMIC: at `reply` */
    };
    uint16_t atomic;      /* NOC_KIND_ATOMIC: operation and operands */
    struct noc_area area; /* multicast */
    uint64_t mask;        /* NOC_KIND_MASKED: bit i is the byte at address + i */
    uint64_t time;        /* cycle in which the first flit leaves the NIU */
};

enum { NOC_REQUEST_HEAD = offsetof(struct noc_request, length) };

enum { NOC_OVERLAY = 4, NOC_HOST = 5 }; /* initiators that are no command buffer */

static inline void noc_sites_add(struct noc_sites *sites, unsigned site) {
    sites->word[site / 64] |= UINT64_C(1) << site % 64;
}

static inline void noc_sites_remove(struct noc_sites *sites, unsigned site) {
    sites->word[site / 64] &= ~(UINT64_C(1) << site % 64);
}

static inline bool noc_sites_has(const struct noc_sites *sites, unsigned site) {
    return sites->word[site / 64] >> site % 64 & 1;
}

/* Takes the lowest site out of a set; NOC_NOWHERE: it is empty. */
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

/* Do bytes of the sender's go with the request? */
static inline bool noc_carries(const struct noc_request *request) {
    return request->kind == NOC_KIND_WRITE || request->kind == NOC_KIND_MASKED;
}

/* Data flits of a request: those of inline data and atomics are in the header. */
static inline uint32_t noc_request_words(const struct noc_request *request) {
    return noc_carries(request) ? noc_data_flits(request->length) : 0;
}

/* Data flits of its response. */
static inline uint32_t noc_response_words(const struct noc_request *request) {
    return request->kind == NOC_KIND_READ ? noc_data_flits(request->length) : 0;
}

/* Flits of a packet, header included: what occupies a link, one a cycle. */
static inline uint32_t noc_request_flits(const struct noc_request *request) {
    return 1 + noc_request_words(request);
}

static inline uint32_t noc_response_flits(const struct noc_request *request) {
    return 1 + noc_response_words(request);
}

#endif
