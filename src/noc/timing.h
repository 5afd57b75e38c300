/* Every number of the NoC's timing, in cycles of AICLK. docs/noc.md has the same table with the errors that remain.
 *
 * page: BlackholeA0/NoC/README.md, "Performance". silicon: measured on cards (docs/silicon.md). fit: the value with the
 * smallest error over these measurements. */
#ifndef NOC_TIMING_H
#define NOC_TIMING_H

enum {
    /* The route of a packet. */
    NOC_INJECT = 7,   /* NIU to router. page: about 5; fit: 7 */
    NOC_EJECT = 7,    /* router to NIU. as above */
    NOC_HOP = 9,      /* router to router. page: at least 9; silicon: 8.8 to 9.0 */
    NOC_L1_READ = 12, /* from a read request to its first data flit, and to the next read. fit */
    /* The NIU of a sender. */
    NOC_ASSIGN = 1, /* from CMD_CTRL until the request has a virtual channel. assumed */
    NOC_NEXT = 1,   /* from the last flit of a packet to the next packet. silicon: 70 cycles each for writes of 4 KiB */
    NOC_FETCH = 40, /* data flits between two cycles in which L1 gives none. fit: 264 cycles for 16 KiB */
    /* Reserving the path of a multicast: a constant, and for each hop there and back. silicon: 7 + 16 a hop for 64
     * bytes */
    NOC_RESERVE = 5,
    NOC_RESERVE_HOP = 8,
};

#endif
