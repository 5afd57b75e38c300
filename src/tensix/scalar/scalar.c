#include "tensix/scalar/scalar.h"
void scalar_init(struct scalar *scalar) {
    scalar->owner = SCALAR_NOBODY;
}
