/* Fast dispatch: addresses, messages and commands of the host, prefetcher, dispatcher, its subordinate and the workers.
 *
 *   host --(commands in its memory, their sizes in the fetch queue)--> prefetcher (BRISC of a tile)
 *   prefetcher --(pages, credits)--> dispatcher (BRISC of another tile) and subordinate (NCRISC of the same)
 *   dispatcher --(writes, linked multicasts)--> L1 of workers, DRAM;  --(completion queue)--> host
 *   subordinate --(go signals by multicast)--> workers --(increments of a stream's register)--> dispatcher's tile
 *
 * Numbers and layouts of the commands here are those of tt-metal's dispatch kernels. Addresses in memory are our own.
 * The host's compiler uses this file, too: it contains only numbers and structures.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdint.h>

/* ---- Tiles ------------------------------------------------------------------------------------------------ */

enum { PREFETCH_X = 16, PREFETCH_Y = 10, DISPATCH_X = 16, DISPATCH_Y = 11, PCIE_X = 19, PCIE_Y = 24 };
enum { DRAM_BANKS = 8 };

/* Workers: the Tensix tiles of a rectangle, which also contains columns that are not Tensix, and some single tiles. The
 * go index of a worker says to which of three groups it belongs. */
enum { GRID_X0 = 5, GRID_X1 = 11, GRID_Y0 = 2, GRID_Y1 = 5, GRID_TILES = 5 * 4 };
enum { LONE_TILES = 2, WORKERS = GRID_TILES + LONE_TILES, GROUPS = 3, LONE_GROUP = 2 };
enum { FIRST_STREAM = 48 };

/* ---- Host memory, as seen through the first region of the outbound iATU -------------------------------------- */

#define HOST_WINDOW UINT64_C(0x1000000000000000)
enum {
    HOST_COMPLETION_WRITE = 0x80, /* in units of 16 bytes; bit 31 changes with each round */
    HOST_ISSUE = 0x1000,
    HOST_ISSUE_END = HOST_ISSUE + 0x8000,
    HOST_COMPLETION = 0x10000,
    HOST_COMPLETION_END = HOST_COMPLETION + 6 * 0x1000,
    HOST_COMPLETION_PAGE = 0x1000,
    HOST_EXTRA = 0x18000, /* data to which commands only refer */
    HOST_SIZE = 0x20000,
};

/* ---- L1 of the prefetcher's tile ------------------------------------------------------------------------------ */

enum {
    FETCH_QUEUE = 0x17000, /* 16 bits for each entry: size in units of 16 bytes, 0: empty */
    FETCH_ENTRIES = 12,
    FETCH_ALONE = 0x8000, /* nothing else is fetched before this is done: EXEC_BUF, which needs the room */
    FETCH_READ = 0x17100, /* for the host: address of the entry that was taken last */
    ISSUE_READ = 0x17110, /* for the host: up to where its memory has been or is being fetched */
    DISPATCH_FREED = 0x17200,
    SUBORDINATE_FREED = 0x17210, /* pages that may be written, in total; the host sets the first number */
    SYNC = 0x17220,              /* number of notifications by the dispatcher */
    COMMANDS = 0x20000,
    COMMANDS_END = COMMANDS + 0x6000,
    SCRATCH = 0x30000, /* two halves */
    SCRATCH_HALF = 0x1800,
};

/* ---- L1 of the dispatcher's tile ------------------------------------------------------------------------------- */

enum {
    DISPATCH_CAME = 0x17200,
    SUBORDINATE_CAME = 0x17210, /* number of pages that have been written */
    COMPLETION_READ = 0x17300,  /* written by the host, like HOST_COMPLETION_WRITE */
    COMPLETION_WRITE = 0x17310, /* the word for HOST_COMPLETION_WRITE; the host writes the first one */
    GO_SAFE = 0x17400,          /* 16 bytes for each group: number of go signals that the subordinate may send */
    GO_WORDS = 0x17500,
    CLEARS = 0x17700, /* number of counters that the subordinate has cleared */
    DISPATCH_PAGES = 0x20000,
    DISPATCH_PAGE_BYTES = 0x1000,
    DISPATCH_PAGE_COUNT = 12,
    SUBORDINATE_PAGES = 0x40000,
    SUBORDINATE_PAGE_BYTES = 0x100,
    SUBORDINATE_PAGE_COUNT = 5,
};

/* ---- L1 of workers ------------------------------------------------------------------------------------------------
 */

struct launch {
    uint32_t text, arguments, common; /* addresses */
    uint32_t number;                  /* number of the launch, for the host to check */
};

struct go {
    uint8_t stream; /* counted from FIRST_STREAM */
    uint8_t master_x, master_y;
    uint8_t signal;
};

enum { GO_DONE = 0, GO_RESET_READ_POINTER = 0xC0, GO_GO = 0x80 };
enum {
    LAUNCH = 0x17000, /* a ring of launch messages */
    LAUNCHES = 8,
    GO = 0x17100, /* go messages: one for each group of the grid; single workers have only the first */
    GO_INDEX = 0x17140,
    LAUNCH_NUMBERS = 0x17150, /* number of the last launch, and number of launches */
    SLOTS = 0x20000,          /* two, used in turn, for arguments, common arguments and code of a kernel */
    SLOT_BYTES = 0x4000,
    SLOT_ARGUMENTS = 0,
    SLOT_COMMON = 0x100,
    SLOT_TEXT = 0x400,
    SHARED = 0x30000, /* a block of data that all workers get */
    SHARED_BYTES = 0x3000,
    WORK = 0x38000,   /* for kernels */
    WORKED = 0x3C000, /* for kernels, too; the host looks at it */
};

/* Arguments of kernels. */
enum { ARG_BUFFER, ARG_PAGE, ARG_SALT, ARG_COUNT = 4 };
enum { COMMON_PAGE_BYTES, COMMON_FACTOR, COMMON_COUNT = 4 };

/* ---- Commands to the prefetcher ----------------------------------------------------------------------------------
 * A command is a struct prefetch_command. */

enum {
    PREFETCH_RELAY_LINEAR = 1,
    PREFETCH_RELAY_PAGED = 3,
    PREFETCH_RELAY_INLINE = 5,
    PREFETCH_RELAY_INLINE_NOFLUSH = 6, /* the page is not full: the next relay continues in it */
    PREFETCH_EXEC_BUF = 7,
    PREFETCH_EXEC_BUF_END = 8, /* also relays like an inline relay */
    PREFETCH_STALL = 9,
    PREFETCH_TERMINATE = 11,
};

/* Commands begin at multiples of this, the unit in which the PCI Express tile can read. Commands followed by data say
 * where the next command is. */
enum { PREFETCH_STRIDE = 64 };
enum { TO_DISPATCH = 0, TO_SUBORDINATE = 1 };

/* 16 bytes, or 32 with `large`. The data follow. */
struct prefetch_command {
    uint8_t id;
    union {
        uint8_t to;         /* inline */
        uint8_t start_page; /* paged: modulo the number of banks */
    };
    uint16_t dram_and_less; /* paged: bit 15: DRAM; other bits: number of bytes to leave out at the end */
    union {
        struct {
            uint32_t length, stride, pad;
        } relay; /* inline: length of the data that follow, and distance to the next command */
        struct {
            uint32_t base, page_bytes, pages;
        } paged;
        struct {
            uint32_t base, log_page_bytes, pages;
        } trace; /* EXEC_BUF */
        struct {
            uint32_t tile, address_low, address_high, length_low, length_high, pad[2];
        } large; /* linear */
    };
};

/* ---- Commands to the dispatcher and its subordinate --------------------------------------------------------------
 * A command is a struct dispatch_command or dispatch_go. */

enum {
    DISPATCH_WRITE_LINEAR = 1,
    DISPATCH_WRITE_HOST = 3,
    DISPATCH_WRITE_PAGED = 4,
    DISPATCH_WRITE_PACKED = 5,
    DISPATCH_WRITE_PACKED_LARGE = 6,
    DISPATCH_WAIT = 7,
    DISPATCH_EXEC_BUF_END = 11,
    DISPATCH_TERMINATE = 13,
    DISPATCH_GO = 14,
    DISPATCH_NOTIFY_SUBORDINATE = 15,
    DISPATCH_SET_GO_TILES = 17,
};

enum { PACKED_MULTICAST = 1, PACKED_ONE_DATA = 2 };
enum { PACKED_MOST = 40, LARGE_MOST = 35 };
enum {
    WAIT_BARRIER = 0x01,
    WAIT_NOTIFY_PREFETCH = 0x02,
    WAIT_MEMORY = 0x04,
    WAIT_STREAM = 0x10,
    WAIT_CLEAR_STREAM = 0x20,
};
enum { GO_NO_MULTICAST = 0xFF };

struct dispatch_command {
    uint8_t id;
    union {
        uint8_t receivers; /* linear: 0 is a unicast */
        uint8_t is_event;  /* host */
        uint8_t is_dram;   /* paged */
        uint8_t flags;     /* packed, wait */
        uint8_t barrier;   /* notify */
    };
    union {
        uint16_t start_page; /* paged */
        uint16_t count;      /* packed, packed large */
        uint16_t stream;     /* wait */
        uint16_t groups;     /* notify: a mask */
    };
    union {
        struct {
            uint32_t tile, address_low, address_high, length_low, length_high, pad[2];
        } linear; /* 32 bytes */
        struct {
            uint32_t pad, length_low, length_high;
        } host; /* the length includes the command, which the host sees first */
        struct {
            uint32_t base, page_bytes, pages;
        } paged;
        struct {
            uint16_t pad, size;
            uint32_t address;
        } packed;
        struct {
            uint16_t alignment, pad;
        } large;
        struct {
            uint32_t address, count;
        } wait;
        struct {
            uint32_t count;
        } tiles;
    };
};

/* The go signal is not aligned. */
struct __attribute__((packed)) dispatch_go {
    uint8_t id;
    struct go go;
    uint8_t multicast_go; /* index of the go message in the grid, or GO_NO_MULTICAST */
    uint8_t unicasts, first_tile;
    uint32_t wait_count, wait_stream;
};

struct packed_multicast {
    uint32_t tiles, receivers;
};

enum { LARGE_UNLINK = 1 };
struct packed_large {
    uint32_t tiles, address;
    uint16_t length_less_1;
    uint8_t receivers, flags;
};

_Static_assert(sizeof(struct prefetch_command) == 32 && sizeof(struct dispatch_command) == 32, "large commands");
_Static_assert(sizeof(struct dispatch_go) == 16 && sizeof(struct packed_large) == 12, "small ones");
enum { COMMAND_BYTES = 16, LARGE_COMMAND_BYTES = 32 };

#endif
