/* Lists that grow: an array, how many entries it has and how many it has room for. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Room for one more entry of so many bytes, in a list that doubles. NULL: no memory, and the list is as it was. */
static inline void *list_room(void *list, uint32_t count, uint32_t *room, size_t size) {
    enum { FIRST_ROOM = 16 };
    if (count < *room)
        return list;
    uint32_t more = *room ? 2 * *room : FIRST_ROOM;
    void *grown = realloc(list, more * size);
    if (grown)
        *room = more;
    return grown;
}

#endif
