/* The counters of a NIU: a table of moments (counters.def), and the one function that changes counters, in both
 * timings. */
#ifndef NOC_COUNTERS_H
#define NOC_COUNTERS_H

#include "base/check.h"
#include "noc/niu.h"

/* The moments in the life of a packet at which NIUs count. Packets of the host have no transaction id and skip the
 * moments of ids: ISSUED, LEFT and RELEASED. */
enum noc_moment {
    NOC_ISSUED,   /* a core writes CMD_CTRL of the sender */
    NOC_ASSIGNED, /* the packet gets its virtual channel */
    NOC_STARTED,  /* the first flit leaves the sender */
    NOC_LEFT,     /* the last flit has left the sender */
    NOC_ARRIVED,  /* the receiver has the packet */
    NOC_ANSWERED, /* the receiver has sent the response */
    NOC_RETURNED, /* the response has come back */
    NOC_RELEASED, /* the transaction id stops counting the packet */
};

/* A number of packets that are counted in one step. */
struct noc_tally {
    uint8_t kind; /* enum noc_kind */
    uint8_t id;
    bool marked;
    uint32_t packets;
    uint32_t words; /* data flits of all packets, in either direction; inline data counts as one flit */
};

static inline struct noc_tally noc_tally_of(const struct noc_request *request) {
    return (struct noc_tally){
        .kind = request->kind,
        .id = request->id,
        .marked = request->marked,
        .packets = 1,
        .words = request->kind == NOC_KIND_INLINE ? 1 : noc_data_flits(request->length),
    };
}

static inline void count_of_ONE(struct niu *niu, enum niu_counter counter, const struct noc_tally *tally, uint32_t n) {
    (void)tally;
    niu->count[counter] += n;
}
static inline void count_of_PAIR(struct niu *niu, enum niu_counter pair, const struct noc_tally *tally, uint32_t n) {
    niu->count[pair + !tally->marked] += n;
}
/* Changes the outstanding counter of an id. A counter that returns to zero is a source of the interrupt. */
static inline void count_outstanding(struct niu *niu, unsigned id, uint32_t n) {
    uint32_t *count = &niu->count[NIU_OUTSTANDING + id], value = (*count + n) & 255;
    BH_ASSERT(id < NIU_IDS && *count < 256);
    if (*count && !value)
        niu->rtz_source |= 1u << id;
    *count = value;
}
static inline void count_of_ID(struct niu *niu, enum niu_counter first, const struct noc_tally *tally, uint32_t n) {
    uint32_t *count = &niu->count[first + tally->id];
    if (first == NIU_OUTSTANDING)
        count_outstanding(niu, tally->id, n);
    else
        *count = (*count + n) & 255;
}

/* The table as code. With a constant moment and kind, the compiler drops all other rows. */
static inline __attribute__((always_inline)) void count_rows(struct niu *niu, enum noc_moment moment,
                                                             const struct noc_tally *tally) {
    enum {
        READS = 1 << NOC_KIND_READ,
        DATA = 1 << NOC_KIND_WRITE | 1 << NOC_KIND_MASKED,
        INLINES = 1 << NOC_KIND_INLINE,
        ATOMICS = 1 << NOC_KIND_ATOMIC,
        ALL = READS | DATA | INLINES | ATOMICS,
        MARKED_SHIFT = 8,
    };
    const unsigned request = 1u << (tally->kind + (tally->marked ? MARKED_SHIFT : 0));
    const uint32_t PACKETS = tally->packets, WORDS = tally->words, BACK = 0 - tally->packets;
#define MARKED(kinds) ((kinds) << MARKED_SHIFT)
#define BOTH(kinds)   ((kinds) | MARKED(kinds))
#define COUNT(when, requests, counter, of, by) \
    if (moment == NOC_##when && (BOTH(ALL) == (requests) || request & (unsigned)(requests))) \
        count_of_##of(niu, counter, tally, by);
#include "noc/counters.def"
#undef COUNT
#undef BOTH
#undef MARKED
    (void)request, (void)PACKETS, (void)WORDS, (void)BACK;
}

/* Counts packets at one moment. Every caller passes a constant moment; the two most frequent kinds become constants
 * here. */
static inline __attribute__((always_inline)) void niu_count(struct niu *niu, enum noc_moment moment,
                                                            const struct noc_tally *tally) {
    struct noc_tally of_kind = *tally;
    BH_ASSERT(tally->kind <= NOC_KIND_ATOMIC && tally->id < NIU_IDS);
    if (tally->kind == NOC_KIND_WRITE) {
        of_kind.kind = NOC_KIND_WRITE;
        count_rows(niu, moment, &of_kind);
    } else if (tally->kind == NOC_KIND_READ) {
        of_kind.kind = NOC_KIND_READ;
        count_rows(niu, moment, &of_kind);
    } else {
        count_rows(niu, moment, tally);
    }
}

/* Returns the transaction ids for which the interrupt is raised. */
enum { COUNT_RTZ_CFG = 30 }; /* index in niu.config */
static inline uint32_t count_pending(const struct niu *niu) {
    return niu->rtz_source & niu->config[COUNT_RTZ_CFG] & 0xFFFF;
}
/* Notifies the tile that the level of the interrupt has changed. */
void count_notify(struct niu *niu, const struct niu_wire *wire, uint64_t time);
/* Calls count_notify if the level has changed. */
static inline void count_interrupt(struct niu *niu, const struct niu_wire *wire, uint64_t time) {
    if (BH_UNLIKELY((count_pending(niu) != 0) != niu->raised))
        count_notify(niu, wire, time);
}

/* Counts a response that has been delivered with all of its data. */
static inline __attribute__((always_inline)) void niu_returned(struct niu *niu, const struct niu_wire *wire,
                                                               const struct noc_tally *tally, uint64_t time) {
    niu_count(niu, NOC_RETURNED, tally);
    niu_count(niu, NOC_RELEASED, tally);
    count_interrupt(niu, wire, time);
}

#endif
