/* One request of each kind, from the core for which it is compiled. Tile 1,2 sends to its neighbours. */
#include "kit/noc.h"

enum { HERE = 0x20000, THERE = 0x28000, FLAG = 0x30000 };

int main(void) {
    uint32_t neighbour = noc_tile(2, 2);
    noc_init();
    noc_read(neighbour, HERE, THERE, 96);
    noc_reads_done();
    noc_write(neighbour, THERE, HERE, 64);
    noc_multicast(noc_rectangle(2, 2, 4, 5), THERE, HERE, 32, 12);
    noc_increment(neighbour, FLAG, 1);
    noc_writes_done();
    noc_atomics_done();
    return 0;
}
