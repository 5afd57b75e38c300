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

/* Returns whether the first of all packets is in the calendar rather than the heap. Precondition: the calendar is not
 * empty. */
static inline bool is_planned_first(const struct departures *list) {
    return !list->others.count ||
           arrival_earlier(&list->entry[list->first[list->soonest % DEPARTURES_DAYS]].sent, &list->others.heap[0]);
}

struct arrival *departures_next_of_all(struct departures *list, uint64_t until) {
    if (departures_due(list) >= until)
        return NULL;
    if (list->planned && is_planned_first(list))
        return departures_take_planned(list);
    list->taken = list->others.heap[0];
    inbox_drop(&list->others);
    return &list->taken;
}

const struct inbox *departures_list(struct departures *list) {
    while (list->planned)
        (void)inbox_put(&list->others, departures_take_planned(list)); /* it has room for all packets */
    return &list->others;
}

void departures_free(struct departures *list) {
    inbox_free(&list->others);
    free(list->entry);
    *list = (struct departures){ 0 };
}
