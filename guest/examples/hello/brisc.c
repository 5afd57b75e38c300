/* BRISC writes a message to L1, where the host finds it. */
#include "bhemu_guest.h"

GUEST_L1 char message[64];

int main(void) {
    char *at = put_text(message, "hello from BRISC on tile ");
    at = put_number(at, my_x());
    at = put_text(at, ",");
    at = put_number(at, my_y());
    put_text(at, "\n");
    return 0;
}
