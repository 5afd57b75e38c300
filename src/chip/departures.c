/* Packets that wait in their NIUs: see departures.h. */
#include "chip/departures.h"

static bool make_entry(struct departures *list) {
    uint32_t number = list->entries ? list->entries : 1;
    struct departure *grown = list_room(list->entry, number, &list->room, sizeof *grown);
    if (!grown)
        return false;
    list->entry = grown;
    grown[number].next = 0;
    list->free = number;
    list->entries = number + 1;
    return true;
}

bool departures_grow(struct departures *list) {
    struct inbox *others = &list->others;
    struct arrival *heap = list_room(others->heap, departures_count(list), &others->room, sizeof *heap);
    if (!heap)
        return false;
    others->heap = heap;
    return list->free || make_entry(list);
}

/* Returns the first cycle from `time` on that has a packet. Precondition: there is one. */
static uint64_t next_busy(const struct departures *list, uint64_t time) {
    enum { WORDS = DEPARTURES_DAYS / 64 };
    uint64_t left = list->busy[time / 64 % WORDS] >> time % 64;
    while (!left) {
        time = (time / 64 + 1) * 64;
        left = list->busy[time / 64 % WORDS];
    }
    return time + (unsigned)__builtin_ctzll(left);
}

/* Takes the first packet out of the calendar. */
static inline void take_planned(struct departures *list, struct arrival *sent) {
    unsigned day = list->soonest % DEPARTURES_DAYS;
    uint32_t number = list->first[day];
    struct departure *entry = &list->entry[number];
    BH_ASSERT(number && entry->sent.time == list->soonest);
    *sent = entry->sent;
    list->first[day] = entry->next;
    entry->next = list->free;
    list->free = number;
    list->planned--;
    if (list->first[day])
        return;
    list->busy[day / 64] &= ~(UINT64_C(1) << day % 64);
    if (list->planned)
        list->soonest = next_busy(list, list->soonest + 1);
}

/* Returns whether the first of all packets is in the calendar rather than the heap. Precondition: the calendar is not
 * empty. */
static inline bool is_planned_first(const struct departures *list) {
    return !list->others.count ||
           arrival_earlier(&list->entry[list->first[list->soonest % DEPARTURES_DAYS]].sent, &list->others.heap[0]);
}

bool departures_next(struct departures *list, uint64_t until, struct arrival *sent) {
    if (departures_due(list) >= until)
        return false;
    if (BH_LIKELY(list->planned && is_planned_first(list))) {
        take_planned(list, sent);
        return true;
    }
    *sent = list->others.heap[0];
    inbox_drop(&list->others);
    return true;
}

const struct inbox *departures_list(struct departures *list) {
    while (list->planned) {
        struct arrival sent;
        take_planned(list, &sent);
        (void)inbox_put(&list->others, &sent); /* it has room for all packets */
    }
    return &list->others;
}

void departures_free(struct departures *list) {
    inbox_free(&list->others);
    free(list->entry);
    *list = (struct departures){ 0 };
}
