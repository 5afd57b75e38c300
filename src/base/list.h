/* Arrays that grow: a pointer, the number of entries and the capacity. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Makes room for one more entry of `size` bytes; when the array is full, its capacity doubles. Returns the array, which
 * may have moved; or NULL, with the array unchanged, if there is no memory. */
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
