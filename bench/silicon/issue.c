/* Tensix instructions from the side of a core: pushing, queues, issue. */
#include "guest.h"

const struct silicon_class silicon_issue[] = {
    { 0 },
};
