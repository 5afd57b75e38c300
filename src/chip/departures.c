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

/* Returns whether packet `a` precedes packet `b`, which may be NULL. */
static inline bool precedes(const struct arrival *a, const struct arrival *b) {
    return !b || arrival_earlier(a, b);
}

struct arrival *departures_next_of_all(struct departures *list, uint64_t until) {
    struct arrival *waiting = departures_waiting(list), *other = list->others.count ? list->others.heap : NULL;
    const struct arrival *planned =
        list->planned ? &list->entry[list->first[list->soonest % DEPARTURES_DAYS]].sent : NULL;
    if (waiting && precedes(waiting, planned) && precedes(waiting, other)) {
        bool due = waiting->time < until;
        list->next_waiting += due;
        return due ? waiting : NULL;
    }
    if (planned && precedes(planned, other))
        return planned->time < until ? departures_take_planned(list) : NULL;
    if (!other || other->time >= until)
        return NULL;
    list->taken = *other;
    inbox_drop(&list->others);
    return &list->taken;
}

/* The heap has room for all packets. */
const struct inbox *departures_list(struct departures *list) {
    const struct arrival *waiting;
    BH_ASSERT(!list->kept.count);
    for (; (waiting = departures_waiting(list)) != NULL; list->next_waiting++)
        (void)inbox_put(&list->others, waiting);
    while (list->planned)
        (void)inbox_put(&list->others, departures_take_planned(list));
    return &list->others;
}

void departures_free(struct departures *list) {
    inbox_free(&list->others);
    outbox_free(&list->waiting);
    outbox_free(&list->kept);
    free(list->entry);
    *list = (struct departures){ 0 };
}
