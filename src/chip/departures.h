/* Packets that wait in their NIUs, ordered by the cycle in which they could have left, then by their order number.
 *
 * Most packets leave soon: a calendar has a list for each of the next DEPARTURES_DAYS cycles. Packets that a busy link
 * holds back are tried again at every exchange: they stay in a list that is in order already. A heap has the others,
 * such as the last packets of long requests. The order does not depend on where a packet is.
 */
#ifndef CHIP_DEPARTURES_H
#define CHIP_DEPARTURES_H

#include "tile/transit.h"

enum { DEPARTURES_DAYS = 4096, DEPARTURES_RECENT = 32 };

/* Saved as a list of packets. All zero means empty. */
struct departures {
    struct inbox others;   /* the heap; has room for all packets */
    struct arrival taken;  /* the last packet that was taken out of the heap */
    struct outbox waiting; /* packets that were kept before the last departures_begin, in order */
    struct outbox kept;    /* packets that have been kept since, in order */
    uint32_t next_waiting; /* index of the first packet of `waiting` that has not been taken */
    uint64_t from;         /* first cycle of the calendar */
    uint64_t soonest;      /* first cycle with a packet in the calendar; valid if `planned` is not 0 */
    uint32_t planned;      /* packets in the calendar */
    uint32_t free;         /* first free entry; 0: none */
    uint32_t entries, room;
    struct departure {
        struct arrival sent;
        uint32_t next;                  /* next entry of the same cycle, or next free one; 0: none */
    } * entry;                          /* entry 0 is unused */
    uint32_t recent[DEPARTURES_RECENT]; /* by cycle modulo DEPARTURES_RECENT: the entry in the calendar that was put in
                                         * last, unless one of these cycles has been taken from since; 0: none */
    uint64_t busy[DEPARTURES_DAYS / 64];
    uint32_t first[DEPARTURES_DAYS]; /* first entry of each cycle, by cycle modulo DEPARTURES_DAYS; 0: none */
};

/* Returns the first packet that was kept before the last departures_begin; NULL if there is none. */
static inline struct arrival *departures_waiting(const struct departures *list) {
    return list->next_waiting < list->waiting.count ? &list->waiting.list[list->next_waiting] : NULL;
}
/* Returns the time of the first packet; UINT64_MAX if there is none. Precondition: departures_begin has followed the
 * last departures_keep. */
static inline uint64_t departures_due(const struct departures *list) {
    const struct arrival *waiting = departures_waiting(list);
    uint64_t others = inbox_due(&list->others), due = list->planned ? list->soonest : UINT64_MAX;
    due = others < due ? others : due;
    return waiting && waiting->time < due ? waiting->time : due;
}
/* Returns the number of packets. */
static inline uint32_t departures_count(const struct departures *list) {
    return list->planned + list->others.count + (list->waiting.count - list->next_waiting) + list->kept.count;
}
/* Makes room for one more packet, in the calendar and in `others`. Returns false if there is no memory. */
bool departures_grow(struct departures *list);
/* Puts a packet into the calendar. Precondition: there is a free entry. If many senders send in the same cycle, their
 * packets come in order, so that each belongs behind the one before it. */
static inline void departures_plan(struct departures *list, const struct arrival *sent) {
    unsigned day = sent->time % DEPARTURES_DAYS;
    uint32_t number = list->free, *at = &list->first[day], *recent = &list->recent[day % DEPARTURES_RECENT];
    struct departure *entry = &list->entry[number], *before = &list->entry[*recent];
    list->free = entry->next;
    if (*recent && before->sent.time == sent->time && before->sent.order < sent->order)
        at = &before->next;
    while (BH_UNLIKELY(*at) && list->entry[*at].sent.order < sent->order)
        at = &list->entry[*at].next;
    *recent = number;
    entry->sent = *sent;
    entry->next = *at;
    *at = number;
    list->busy[day / 64] |= UINT64_C(1) << day % 64;
    if (!list->planned++ || sent->time < list->soonest)
        list->soonest = sent->time;
}
/* Adds a packet. Returns false if there is no memory. */
static inline bool departures_put(struct departures *list, const struct arrival *sent) {
    bool room = list->free && departures_count(list) < list->others.room;
    if (BH_UNLIKELY(!room) && !departures_grow(list))
        return false;
    if (BH_UNLIKELY(sent->time - list->from >= DEPARTURES_DAYS))
        return inbox_put(&list->others, sent);
    departures_plan(list, sent);
    return true;
}
/* Returns the first cycle from `time` on that has a packet in the calendar. Precondition: there is one. */
static inline uint64_t departures_next_busy(const struct departures *list, uint64_t time) {
    enum { MASKS = DEPARTURES_DAYS / 64 };
    uint64_t left = list->busy[time / 64 % MASKS] >> time % 64;
    while (BH_UNLIKELY(!left)) {
        time = (time / 64 + 1) * 64;
        left = list->busy[time / 64 % MASKS];
    }
    return time + (unsigned)__builtin_ctzll(left);
}
/* Takes the first packet out of the calendar. Precondition: there is one. */
static inline struct arrival *departures_take_planned(struct departures *list) {
    unsigned day = list->soonest % DEPARTURES_DAYS;
    uint32_t number = list->first[day];
    struct departure *entry = &list->entry[number];
    BH_ASSERT(number && entry->sent.time == list->soonest);
    list->first[day] = entry->next;
    entry->next = list->free;
    list->free = number;
    list->planned--;
    list->recent[day % DEPARTURES_RECENT] = 0;
    if (list->first[day])
        return &entry->sent;
    list->busy[day / 64] &= ~(UINT64_C(1) << day % 64);
    if (list->planned)
        list->soonest = departures_next_busy(list, list->soonest + 1);
    return &entry->sent;
}
/* The slow path of departures_next. */
struct arrival *departures_next_of_all(struct departures *list, uint64_t until);
/* Takes out the first packet if its time is before `until`; returns NULL if there is no such packet. The packet stays
 * where it is, and may be changed, until the next packet is put in. */
static inline struct arrival *departures_next(struct departures *list, uint64_t until) {
    if (BH_UNLIKELY(list->others.count || list->next_waiting < list->waiting.count))
        return departures_next_of_all(list, until);
    return list->planned && list->soonest < until ? departures_take_planned(list) : NULL;
}
/* Puts back the packet that departures_next has returned last: it comes again, in its order, after the next
 * departures_begin. Returns false if there is no memory. */
static inline bool departures_keep(struct departures *list, const struct arrival *sent) {
    BH_ASSERT(!list->kept.count || arrival_earlier(&list->kept.list[list->kept.count - 1], sent));
    return outbox_put(&list->kept, *sent);
}
/* Makes the calendar begin at this time. Precondition: departures_next has taken all packets before it. */
static inline void departures_begin(struct departures *list, uint64_t from) {
    struct outbox taken = list->waiting;
    BH_ASSERT(!list->planned || list->soonest >= from);
    BH_ASSERT(list->next_waiting == taken.count);
    taken.count = 0;
    list->waiting = list->kept;
    list->kept = taken;
    list->next_waiting = 0;
    list->from = from;
}
/* Moves all packets to `others`, and returns it. Precondition: as for departures_due. */
const struct inbox *departures_list(struct departures *list);
/* Frees the memory of the list, which is empty then. */
void departures_free(struct departures *list);

#endif
