/* bhemu: an emulator of the Tenstorrent Blackhole chip.
 *
 * A chip is an opaque handle. The library has no globals: a process can have any number of chips, and one thread at a
 * time may use each of them. The library prints nothing, never exits and reads no environment variables; every error is
 * a value. A NULL pointer where one is required is an error (BH_ERR_ARGUMENT); functions without a status return 0,
 * false, "" or NULL for a NULL chip or system, unless they say otherwise. Texts that functions return or put into
 * structs as const char * are constant, unless a comment says otherwise; names and texts of enumerations are never
 * NULL, even if the value is out of range.
 *
 *     struct bh_config config;
 *     bh_chip *chip;
 *     bh_config_init(&config);
 *     if (bh_create(&config, &chip, NULL, 0) != BH_OK) ...
 *     bh_load_elf(chip, (struct bh_xy){ 1, 2 }, BH_BRISC, image, size, NULL);
 *     bh_release(chip, (struct bh_xy){ 1, 2 }, 1u << BH_BRISC);
 *     bh_run(chip, 1000000, 0, &stop);
 *     bh_read(chip, (struct bh_xy){ 1, 2 }, 0x1000, result, sizeof result);
 *     bh_destroy(chip);
 *
 * Time is in AICLK cycles. Coordinates are those that software on the chip uses (translated coordinates,
 * docs/coordinates.md) unless a function says otherwise.
 *
 * The sections of this header:
 *
 *     Results, Places on the chip                   words that all others use
 *     Making a chip, Memory and registers of tiles,
 *     Programs, Time                                what every program calls
 *     Cores, The Tensix coprocessor,
 *     Inside the Tensix coprocessor                 registers and states, one by one
 *     Comparing chips, Saving                       the state as a whole: hash, differences, files, snapshots
 *     Watching                                      statistics, profiles, events
 *     Hazards, Delays                               finding waits that a program lacks
 *     Debugging                                     breakpoints, steps, watchpoints
 *     The host's side of PCI Express                configuration space and BARs
 *     Several chips                                 systems, their cables, processes that share them
 *     Instruction set                               disassembly and tables, without a chip
 */
#ifndef BHEMU_H
#define BHEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BH_API __attribute__((visibility("default")))
#else
#define BH_API
#endif

#define BH_VERSION_MAJOR 0
#define BH_VERSION_MINOR 1
#define BH_VERSION_PATCH 0

/* Returns the version of the library: "0.1.0". */
BH_API const char *bh_version(void);
/* Returns the level of the host's instruction set whose vector instructions the library uses: "x86-64-v3", "aarch64".
 */
BH_API const char *bh_host_level(void);

/* ---- Results ------------------------------------------------------------------------- */

typedef enum bh_status {
#define BH_STATUS(name, text) BH_##name,
#include "bhemu_status.def"
    BH_STATUS_COUNT
} bh_status;

enum bh_fault_kind {
#define BH_FAULT_KIND(name, text) BH_FAULT_##name,
#include "bhemu_status.def"
    BH_FAULT_KIND_COUNT
};

enum bh_stop_reason {
#define BH_STOP_REASON(name, text) BH_STOP_##name,
#include "bhemu_status.def"
    BH_STOP_REASON_COUNT
};

/* Return a short English text for a value: "no such tile". */
BH_API const char *bh_status_text(bh_status status);
BH_API const char *bh_fault_kind_text(enum bh_fault_kind kind);
BH_API const char *bh_stop_reason_text(enum bh_stop_reason reason);

/* ---- Places on the chip --------------------------------------------------------------- */

typedef struct bh_chip bh_chip;

/* A tile, by NoC coordinate. */
struct bh_xy {
    uint8_t x, y;
};

/* The RISC-V cores of a Tensix tile. Masks of cores use bit (1u << core). */
enum bh_core { BH_BRISC, BH_TRISC0, BH_TRISC1, BH_TRISC2, BH_NCRISC, BH_CORE_COUNT };
/* The two cores of an Ethernet tile have the numbers of BRISC and NCRISC. */
#define BH_ERISC0    BH_BRISC
#define BH_ERISC1    BH_NCRISC
#define BH_ALL_CORES ((1u << BH_CORE_COUNT) - 1)

/* Threads of the Tensix coprocessor of a tile: 0, 1 and 2. */
#define BH_THREADS 3

BH_API const char *bh_core_name(enum bh_core core); /* "brisc" ... "ncrisc"; see bh_core_name_at */

enum bh_tile_kind {
    BH_TILE_TENSIX,
    BH_TILE_DRAM,
    BH_TILE_ETH,
    BH_TILE_PCIE,
    BH_TILE_ARC,
    BH_TILE_L2CPU,
    BH_TILE_SECURITY,
    BH_TILE_ROUTER, /* a router without an endpoint behind it */
    BH_TILE_KIND_COUNT
};

BH_API const char *bh_tile_kind_name(enum bh_tile_kind kind); /* "Tensix" ... "router-only" */

struct bh_tile_info {
    enum bh_tile_kind kind;
    bool harvested;
    uint8_t index;           /* within its kind: Tensix 0..139, DRAM bank, ETH channel, ... */
    uint8_t port;            /* DRAM: which of the bank's three NoC ports */
    struct bh_xy noc0;       /* physical position as NoC 0 counts */
    struct bh_xy noc1;       /* physical position as NoC 1 counts */
    struct bh_xy translated; /* what software uses */
    struct bh_xy logical;    /* software's dense grid; (255,255) where there is none */
};

/* One range of the addresses inside a Tensix tile. */
struct bh_region {
    const char *name;
    uint32_t base, size;
    unsigned cores;        /* mask of the cores that can access the region */
    bool noc;              /* the NoC and the host can access it too */
    unsigned load_latency; /* minimum, in cycles */
};

/* Returns the regions by index from 0, in the order of their bases; BH_ERR_ARGUMENT past the last. */
BH_API bh_status bh_region_at(unsigned index, struct bh_region *region);

/* ---- Making a chip -------------------------------------------------------------------- */

/* The board of a chip. A P300 has two chips, a Galaxy 32. */
enum bh_board { BH_BOARD_P150, BH_BOARD_P100A, BH_BOARD_P300, BH_BOARD_GALAXY };

/* How time passes (docs/timing.md). */
enum bh_timing {
    BH_TIMING_CYCLES, /* every effect in its cycle, as documented or measured */
    BH_TIMING_LOOSE,  /* values only: instructions complete at once, in an order that is possible on hardware. Cycle
                         counts are approximate. Faster. */
};

/* What went wrong in the guest, where and when. */
struct bh_fault {
    enum bh_fault_kind kind;
    struct bh_xy tile;
    int core;         /* enum bh_core, or -1 when no core is to blame */
    int thread;       /* of the Tensix coprocessor, 0..2, or -1 when none is to blame */
    uint32_t pc;      /* of the offending instruction, or of the one that pushed it */
    uint32_t insn;    /* its word */
    uint64_t address; /* of the offending access, else 0 */
    uint64_t cycle;
    char text[200]; /* one line for people: core, pc, address, region; whole words, " ..." if more was to be said */
};

/* Maxima of struct bh_config. */
enum { BH_THREADS_MAX = 64, BH_SKEW_MAX = 128, BH_EPOCH_MAX = 256 };

struct bh_config {
    enum bh_board board;
    uint16_t tensix_harvest; /* bit i: column i in telemetry order is dead (docs/coordinates.md) */
    uint16_t eth_harvest;    /* bit i: channel i is dead */
    uint8_t dram_harvest;    /* bit i: bank i is dead; at most one */
    uint8_t location;        /* of the chip on its board, as telemetry and the peers of its links see it */
    uint32_t serial;         /* number of the board among those of its kind, from 0 on */
    uint32_t number;         /* of the chip among all: its ASIC id is one more */
    unsigned threads;        /* host threads that run tiles, including the caller's; the result does not depend on it.
                                0: one for each processor of the host, created when there is work for them */
    enum bh_timing timing;
    unsigned skew;  /* cycles that a core may run ahead of the others of its tile; 1 is lockstep. 0: 32 cycles, or 128
                       with loose timing */
    unsigned epoch; /* cycles between two exchanges of packets among tiles. Up to 23, no packet is late; above, a packet
                       may arrive as late as the end of the epoch. Where packets compete, cycles depend on it a little
                       (docs/noc.md). 0: short while packets are in flight, longer otherwise (docs/ARCHITECTURE.md) */

    bool debug_flaws; /* the debug interface of the cores has the flaws of silicon, which tools for silicon work around
                         (docs/debugging.md) */

    /* Called from bh_run, once for each fault, after the offending core or thread has stopped. The fault is valid
     * during the call. May be NULL. */
    void (*on_fault)(void *user, bh_chip *chip, const struct bh_fault *fault);
    /* Called from bh_run when the guest does something that the documents call unsafe on silicon, once for each NIU.
     * The operation is carried out and nothing stops (docs/noc.md). May be NULL. */
    void (*on_warning)(void *user, bh_chip *chip, const struct bh_fault *warning);
    /* Called on the thread that uses the chip, to read and write the host's memory as the device sees it over PCIe.
     * NULL: there is no host memory. */
    void (*host_read)(void *user, uint64_t address, void *data, size_t size);
    void (*host_write)(void *user, uint64_t address, const void *data, size_t size);
    void *user; /* first argument of these functions */
};

/* Sets the defaults: a P150 (all Tensix tiles and DRAM banks, twelve Ethernet channels), all processors of the host.
 * Does nothing for NULL. */
BH_API void bh_config_init(struct bh_config *config);
/* Sets the defaults of a board, with the harvesting that it is sold with. */
BH_API void bh_config_board(struct bh_config *config, enum bh_board board);

/* Creates a chip; config is copied. On failure *chip is NULL and message, if not NULL, holds an explanation of up to
 * size bytes. The caller ends the chip with bh_destroy. */
BH_API bh_status bh_create(const struct bh_config *config, bh_chip **chip, char *message, size_t size);
/* Ends a chip that bh_create has made, and frees its memory; chip may be NULL. Precondition: the caller is not inside
 * bh_run, and the chip does not belong to a system. */
BH_API void bh_destroy(bh_chip *chip);
/* Returns the chip to its power-on state, with memories of zeros. Observation, check, delays and debugging go on. Does
 * nothing, except for a message, inside a callback of a run, and if the chip belongs to a system
 * (bh_system_reset_chip). */
BH_API void bh_reset(bh_chip *chip);

/* Returns the message of the last call on this chip that did not return BH_OK; "" if there is none. The text is valid
 * until the next call that fails, bh_reset or bh_destroy. */
BH_API const char *bh_message(const bh_chip *chip);

/* Returns the tiles by index from 0, harvested ones too, in a fixed order; BH_ERR_ARGUMENT past the last. */
BH_API bh_status bh_tile_at(const bh_chip *chip, unsigned index, struct bh_tile_info *info);
/* Returns the tile with this coordinate; BH_ERR_COORDINATE if there is none. */
BH_API bh_status bh_tile_find(const bh_chip *chip, struct bh_xy tile, struct bh_tile_info *info);
/* Returns the name of a core of this tile: "erisc0", "erisc1" or "no core" for an Ethernet tile, what bh_core_name
 * returns for any other. */
BH_API const char *bh_core_name_at(const bh_chip *chip, struct bh_xy tile, enum bh_core core);

/* ---- Memory and registers of tiles ----------------------------------------------------- */

/* Access a tile as the NoC does: with side effects, and cores that wait for them wake. Memory takes any size and
 * alignment, registers take aligned 32-bit words. No time passes. Errors are BH_ERR_COORDINATE, BH_ERR_ADDRESS,
 * BH_ERR_ALIGNMENT, BH_ERR_UNMODELLED, and BH_ERR_STATE without host memory (host_read, host_write), with a message
 * that names the tile and the address. An access that reaches beyond a memory, or beyond the last register, changes
 * nothing; one to several registers ends at the first that refuses its word. */
BH_API bh_status bh_read(bh_chip *chip, struct bh_xy tile, uint64_t address, void *data, size_t size);
BH_API bh_status bh_write(bh_chip *chip, struct bh_xy tile, uint64_t address, const void *data, size_t size);
/* Access a tile without side effects; the errors are the same. bh_poke also writes read-only state; it wakes only cores
 * that poll the memory. */
BH_API bh_status bh_peek(const bh_chip *chip, struct bh_xy tile, uint64_t address, void *data, size_t size);
BH_API bh_status bh_poke(bh_chip *chip, struct bh_xy tile, uint64_t address, const void *data, size_t size);

/* ---- Programs ------------------------------------------------------------------------- */

struct bh_image_info {
    uint32_t entry;     /* where the core will start */
    uint32_t low, high; /* range of the L1 bytes written, [low, high) */
};

/* Loads a 32-bit RISC-V executable for one core of a tile and makes its entry the core's reset pc (BRISC has a fixed
 * reset pc: it gets a jump at L1 address 0 if the entry is elsewhere). The image is not needed afterwards; info may be
 * NULL. BH_ERR_ELF if the file is malformed or does not fit the core; the message says why.
 * Segments in the core's local memory are kept aside: the core clears that memory when it leaves reset, so bh_release
 * writes the segments after the clearing. Software that releases the core by a register must write them itself. */
BH_API bh_status bh_load_elf(bh_chip *chip, struct bh_xy tile, enum bh_core core, const void *image, size_t size,
                             struct bh_image_info *info);
/* Loads raw bytes at an L1 address, a multiple of 4, which becomes the entry as with bh_load_elf. */
BH_API bh_status bh_load_raw(bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t address, const void *data,
                             size_t size);
/* Release cores (a mask) from soft reset, or put them into it, by SOFT_RESET_0 of the tile. Released cores start with
 * the next run. */
BH_API bh_status bh_release(bh_chip *chip, struct bh_xy tile, unsigned cores);
BH_API bh_status bh_hold(bh_chip *chip, struct bh_xy tile, unsigned cores);

/* ---- Time ----------------------------------------------------------------------------- */

struct bh_stop {
    enum bh_stop_reason reason;
    uint64_t cycle;        /* chip time now */
    unsigned waiting;      /* number of cores out of reset that wait for something */
    struct bh_fault fault; /* BH_STOP_FAULT: the first fault; BH_STOP_DEADLOCK: a core or thread that waits */
};

enum bh_run_flags {
    BH_RUN_STOP_ON_FAULT = 1, /* return at the end of the epoch in which a core or a thread faulted */
    BH_RUN_STOP_ON_IDLE = 2,  /* return as soon as nothing can happen any more: idle or deadlock */
};

/* Runs for the given number of cycles, or fewer if flags say so. Time ends at cycle 2^62: a longer run ends there, and
 * later ones do nothing. stop may be NULL. Faults of the guest are not errors of the call. BH_ERR_ARGUMENT for a flag
 * that does not exist; BH_ERR_STATE inside a callback of a run, and for a chip of a system (bh_system_run);
 * BH_ERR_INTERNAL for a bug of bhemu, after which the chip can be read, but does not run until bh_reset. */
BH_API bh_status bh_run(bh_chip *chip, uint64_t cycles, unsigned flags, struct bh_stop *stop);
/* Returns the chip's time in cycles. */
BH_API uint64_t bh_cycle(const bh_chip *chip);
/* Returns the maximum number of cycles between two exchanges of packets among tiles; never 0, also for NULL. */
BH_API unsigned bh_epoch(const bh_chip *chip);
/* Returns whether the host has written a register of a Tensix or Ethernet tile since the last run, while a core is
 * running. A client that models the bus then runs the chip before its next read, because a read over PCI Express takes
 * longer than an epoch. */
BH_API bool bh_unsettled(const bh_chip *chip);
/* Returns whether one of these writes was a command to the debug interface of a core, which the core carries out in its
 * own time. Such a client then runs the chip before its next write, too. */
BH_API bool bh_commanded(const bh_chip *chip);

/* Returns whether the chip is deadlocked: nothing can proceed, and on some tile a core is blocked in a load or store,
 * or a Tensix thread at its gate, with no agent left that could release it. A core that polls L1 or a register that the
 * host may write, and a thread that waits for L1 or an overlay stream, do not count: the host can still wake them. */
BH_API bool bh_deadlocked(const bh_chip *chip);
/* Returns for how many cycles nothing has happened on a Tensix or Ethernet tile, because all its agents wait, are held
 * or have stopped; 0 if something may happen now. */
BH_API uint64_t bh_asleep(const bh_chip *chip, struct bh_xy tile);
/* Writes one line for each core and thread that waits, with the reason; the chip may be in any state. Tiles with the
 * same lines appear once. text may be NULL. Returns the length of the whole text, like snprintf; 0 if nothing waits. */
BH_API size_t bh_report(const bh_chip *chip, char *text, size_t size);

/* ---- Cores ---------------------------------------------------------------------------- */

enum bh_core_state {
    BH_CORE_IN_RESET,
    BH_CORE_RUNNING,
    BH_CORE_POLLING, /* in a loop that only a write from outside can end */
    BH_CORE_BLOCKED, /* in a load or store that cannot complete yet */
    BH_CORE_PAUSED,  /* at an ebreak or ecall */
    BH_CORE_FAULTED,
};

/* Register numbers of bh_core_get and bh_core_set. */
enum bh_register {
    BH_REG_X0 = 0,  /* .. 31 */
    BH_REG_F0 = 32, /* .. 63 */
    BH_REG_PC = 64,
    BH_REG_CSR = 0x1000, /* + CSR number */
    BH_REG_V0 = 0x2000,  /* + 4 * number + word: a word of a vector register; trisc2 has them */
};

struct bh_core_info {
    enum bh_core_state state;
    uint32_t pc;
    uint64_t cycle;       /* the core's own time */
    uint64_t retired;     /* instructions since the chip was created */
    const char *waits_on; /* why it is blocked or polling, or "" */
    uint32_t waits_at; /* address of the blocked access, or of the first polled word (one outside local memory, if there
                          is one); else 0 */
};

/* Returns the state of a core; BH_ERR_ARGUMENT if the tile has no such core. */
BH_API bh_status bh_core_query(const bh_chip *chip, struct bh_xy tile, enum bh_core core, struct bh_core_info *info);
/* Return or set a register (enum bh_register); BH_ERR_ARGUMENT if there is none of that number, or for a pc that is not
 * an aligned address of L1. Reading has no side effects. bh_core_set lets a core that waits look again; x0 stays 0. */
BH_API bh_status bh_core_get(const bh_chip *chip, struct bh_xy tile, enum bh_core core, unsigned reg, uint32_t *value);
BH_API bh_status bh_core_set(bh_chip *chip, struct bh_xy tile, enum bh_core core, unsigned reg, uint32_t value);
/* Resumes a paused core after its ebreak or ecall; BH_ERR_STATE if the core is not paused. */
BH_API bh_status bh_core_resume(bh_chip *chip, struct bh_xy tile, enum bh_core core);
/* Returns the fault that stopped the core; BH_ERR_STATE if the core has not faulted. */
BH_API bh_status bh_core_fault(const bh_chip *chip, struct bh_xy tile, enum bh_core core, struct bh_fault *fault);

/* ---- The Tensix coprocessor ------------------------------------------------------------- */

enum bh_thread_state {
    BH_THREAD_IDLE,    /* no instruction is queued or in a pipeline */
    BH_THREAD_RUNNING, /* instructions are queued or in a pipeline, and proceed */
    BH_THREAD_WAITING, /* the first instruction is held at the gate until another agent acts */
    BH_THREAD_FAULTED,
};

struct bh_thread_info {
    enum bh_thread_state state;
    uint32_t word;        /* the instruction at the gate, 0 if there is none */
    uint32_t pc;          /* of the core's instruction that pushed it or the instruction it was expanded from */
    unsigned queued;      /* instructions of its own TRISC that have not passed the gate; an expansion counts once */
    uint64_t passed;      /* instructions that have passed the gate since the chip was created */
    const char *waits_on; /* why the instruction did not pass at its last attempt, or ""; bh_report has more */
};

/* Returns the state of a thread of the tile's coprocessor. */
BH_API bh_status bh_thread_query(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_thread_info *info);
/* Returns the fault that stopped the thread; BH_ERR_STATE if the thread has not faulted. */
BH_API bh_status bh_thread_fault(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_fault *fault);

/* Return or set one of a thread's 64 general purpose registers. */
BH_API bh_status bh_gpr_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, unsigned index, uint32_t *value);
BH_API bh_status bh_gpr_set(bh_chip *chip, struct bh_xy tile, unsigned thread, unsigned index, uint32_t value);
/* Return a word of Config (bank 0 or 1) or of a thread's ThreadConfig, by the word of struct bh_isa_config. */
BH_API bh_status bh_tensix_config_get(const bh_chip *chip, struct bh_xy tile, unsigned bank, unsigned index,
                                      uint32_t *value);
BH_API bh_status bh_thread_config_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, unsigned index,
                                      uint32_t *value);
/* Returns 16 bits of Dst as they are stored: row 0..1023, column 0..15. */
BH_API bh_status bh_dst_get(const bh_chip *chip, struct bh_xy tile, unsigned row, unsigned column, uint32_t *value);
/* Returns a lane (0..31) of a register of the Vector Unit (0..16). */
BH_API bh_status bh_lreg_get(const bh_chip *chip, struct bh_xy tile, unsigned index, unsigned lane, uint32_t *value);
/* Returns the value and the maximum of one of the eight semaphores. max may be NULL. */
BH_API bh_status bh_semaphore_get(const bh_chip *chip, struct bh_xy tile, unsigned index, uint32_t *value,
                                  uint32_t *max);

/* ---- Inside the Tensix coprocessor --------------------------------------------------------
 *
 * These functions have no side effects: a run and its bh_state_hash do not depend on calls of them. They return the
 * state at the beginning of cycle bh_cycle. A NULL chip or result, or a number that is too large, gives
 * BH_ERR_ARGUMENT. */

/* The wait that a STALLWAIT, SEMWAIT or STREAMWAIT of a thread has latched (docs/coprocessor.md). */
struct bh_wait {
    uint8_t opcode;     /* of that instruction (struct bh_isa_row). 0: no wait is latched, and all other fields are 0 */
    uint8_t semaphores; /* SEMWAIT: mask of its semaphores */
    uint8_t stream;     /* STREAMWAIT: number of the overlay stream */
    uint16_t block;     /* instructions that the wait holds, bits B0..B8 */
    uint16_t condition; /* STALLWAIT: bits C0..C12; SEMWAIT: 1 while zero, 2 while at the maximum; STREAMWAIT: 1 the
                           phase, 2 the number of messages */
    uint16_t unmet;     /* conditions that still hold, as bits of condition; SEMWAIT: as bits of semaphores */
    uint32_t target;    /* STREAMWAIT: the phase or the number of messages to wait for */
    uint64_t since;     /* cycle in which the wait was latched */
    uint64_t until;     /* first cycle in which the wait holds nothing; UINT64_MAX: unknown */
    char text[256]; /* the unmet conditions as one line for people; "" if none is left and the wait is about to end */
};
/* Returns the wait that a thread has latched. */
BH_API bh_status bh_wait_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_wait *wait);

/* Users of address counters: a thread has a set of counters for each. */
enum bh_adc_user { BH_ADC_UNPACKER0, BH_ADC_UNPACKER1, BH_ADC_PACKER, BH_ADC_USERS };

/* Counters X, Y, Z and W, and the values (CR) to which they return. */
struct bh_adc_channel {
    uint32_t value[4], cr[4];
};
/* Channel 0 is for the input address, 1 for the output address. */
struct bh_adc {
    struct bh_adc_channel channel[2];
};
/* Returns the address counters of a thread for one of their users. */
BH_API bh_status bh_adc_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, enum bh_adc_user user,
                            struct bh_adc *adc);

/* A thread's row counters for the Matrix Unit and the Vector Unit, with the values (CR) to which they return. */
struct bh_rwc {
    uint16_t dst, dst_cr;
    uint16_t sp; /* the Vector Unit's stack in Dst */
    uint8_t src_a, src_a_cr, src_b, src_b_cr;
    uint8_t fidelity; /* phase, 0..3 */
};
/* Returns the row counters of a thread. */
BH_API bh_status bh_rwc_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_rwc *rwc);

/* SrcA and SrcB have two banks each, of 64 rows and 16 columns. */
enum bh_src_file { BH_SRC_A, BH_SRC_B, BH_SRC_FILES };
enum bh_src_owner { BH_SRC_UNPACKERS, BH_SRC_MATRIX };

struct bh_src_info {
    enum bh_src_owner owner[2];       /* of each bank: the unit that may use it */
    uint8_t format[2];                /* of the data in each bank, as in ALU_FORMAT_SPEC */
    uint8_t unpacker_bank;            /* the bank that the unpackers fill next, when they own it */
    uint8_t matrix_bank;              /* the bank that the Matrix Unit reads, when it owns it */
    bool valid;                       /* dvalid: matrix_bank belongs to the Matrix Unit */
    bool free;                        /* unpacker_bank belongs to the unpackers, who can use it by now */
    uint8_t unpacker_row[BH_THREADS]; /* first row of the next unpack of each thread */
};
/* Returns the owners and the formats of the banks of SrcA or SrcB. */
BH_API bh_status bh_src_query(const bh_chip *chip, struct bh_xy tile, enum bh_src_file file, struct bh_src_info *info);
/* Returns a datum as it is stored, whichever unit owns the bank: sign in bit 18, mantissa in 17:8, exponent in 7:0. */
BH_API bh_status bh_src_get(const bh_chip *chip, struct bh_xy tile, enum bh_src_file file, unsigned bank, unsigned row,
                            unsigned column, uint32_t *value);

/* A thread's MOP expander. It may be ahead of the gate by the words in the FIFOs between them. */
struct bh_mop_info {
    uint32_t config[9];  /* the words that software writes at 0xFFB80000 */
    uint16_t zmask_high; /* of MOP_CFG */
    uint8_t queued;      /* MOPs that have not been expanded yet */
    bool expanding;      /* a MOP is being expanded; if not, all fields below are 0 */
    uint8_t step;        /* of the next word: template 0: 0..3 A0..A3, 4 B; template 1: 0 start, 1 loop, 2 and 3 end */
    uint16_t outer, outer_count; /* iteration of the outer loop (template 1) or of the list (0), and their number */
    uint16_t inner, inner_count; /* of the inner loop, template 1 */
    uint32_t word, pc;           /* the MOP, and the pc that pushed it */
    uint32_t mask;               /* template 0: zmask_high with the MOP's 16 bits */
    uint32_t next;               /* the next word of the expansion */
};
/* Returns the state of the MOP expander of a thread. */
BH_API bh_status bh_mop_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_mop_info *info);

/* A thread's Replay expander. It may be ahead of the gate by the words in the FIFO between them. */
enum bh_replay_state { BH_REPLAY_IDLE, BH_REPLAY_RECORDING, BH_REPLAY_PLAYING };
struct bh_replay_info {
    uint32_t word[32];
    enum bh_replay_state state;
    bool executing; /* words are executed while they are recorded */
    uint8_t at;     /* index of the next word to record or play */
    uint8_t left;   /* number of words still to record or play; 0: idle */
    uint32_t pc;    /* playing: the pc that pushed the REPLAY */
};
/* Returns the state of the Replay expander of a thread, with its buffer. */
BH_API bh_status bh_replay_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_replay_info *info);

/* ---- Comparing chips --------------------------------------------------------------------- */

/* Returns a hash over everything that software can observe: memories, registers, time. Hashes of different builds of
 * bhemu cannot be compared. */
BH_API uint64_t bh_state_hash(const bh_chip *chip);

/* Parts of a chip in which two chips can differ. */
enum bh_part {
    BH_PART_CHIP,    /* what belongs to no tile: time, links, PCI Express, ARC, NIUs of tiles without cores */
    BH_PART_ARC,     /* the memory of ARC */
    BH_PART_TILE,    /* registers of a tile: cores, coprocessor, NIUs */
    BH_PART_PACKETS, /* packets in flight from or to a tile */
    BH_PART_L1,
    BH_PART_DRAM,
    BH_PART_COUNT
};
BH_API const char *bh_part_name(enum bh_part part); /* "chip" ... "DRAM" */

/* A value of two chips that differs. */
struct bh_difference {
    enum bh_part part;
    struct bh_xy tile; /* of a tile's parts; (255,255) if it belongs to none */
    unsigned bank;     /* of DRAM */
    uint64_t address;  /* in a memory; elsewhere a number that is the same for the same value */
    uint32_t size;     /* bytes of the value; 0: only the texts tell the difference */
    bool time;         /* the values are cycles */
    uint64_t value[2]; /* of the first and the second chip */
    char name[160];    /* members of the tables of state: "core[0].x[10]", "tensix.config.bank[0][69]" */
    char text[2][120]; /* a packet of each chip, described; "" if a chip has none */
};

enum bh_diff_flags {
    BH_DIFF_VALUES = 1, /* leave out cycles and packets in flight, for chips with different timings */
};

/* Calls on_difference for each value that differs between two chips, of those that enter bh_state_hash, until the
 * callback returns false: first the chip, then tile by tile registers, packets and L1, then DRAM. tile: compare only
 * this tile; NULL: everything. The difference is valid during the callback. A callback of bh_debug may call this
 * function, with a tile unless the event is BH_DEBUG_TIME. The chips must have the same board and harvesting
 * (BH_ERR_STATE otherwise). */
BH_API bh_status bh_state_diff(const bh_chip *a, const bh_chip *b, const struct bh_xy *tile, unsigned flags,
                               bool (*on_difference)(void *user, const struct bh_difference *difference), void *user);

/* ---- Saving ----------------------------------------------------------------------------- */

/* Writes the whole chip to a file: memories, registers, packets in flight. What only the host sees is not part of it:
 * configuration space and the windows of the BARs, which bh_load leaves as they are. An existing file is replaced once
 * everything has been written. BH_ERR_FILE if it cannot be written. Precondition: the caller is not inside bh_run, and
 * the chip does not belong to a system (BH_ERR_STATE otherwise). */
BH_API bh_status bh_save(bh_chip *chip, const char *path);
/* Restores the chip from a file. The chip then proceeds as the saved chip did, cycle by cycle, on any number of host
 * threads. Callbacks, host threads and observers stay those of the chip. A damaged file, or one of a build whose state
 * has another layout, is refused and leaves the chip unchanged. The chip does not need the file afterwards.
 * Precondition: the chip has the file's configuration (bh_saved_config). */
BH_API bh_status bh_load(bh_chip *chip, const char *path);
/* Sets those parts of the configuration that the file records: board, harvesting, timing, skew and epoch. On failure
 * message, if not NULL, holds an explanation of up to size bytes: BH_ERR_FILE if the file cannot be read,
 * BH_ERR_ARGUMENT if it is damaged or of another build. */
BH_API bh_status bh_saved_config(const char *path, struct bh_config *config, char *message, size_t size);

/* A chip at one moment, in memory. Its size depends on the memory in use. */
typedef struct bh_snapshot bh_snapshot;
/* Takes a snapshot, which the caller frees with bh_snapshot_free; it may outlive the chip. On failure *snapshot is
 * NULL. Precondition: the caller is not inside bh_run (BH_ERR_STATE otherwise). */
BH_API bh_status bh_snapshot_take(bh_chip *chip, bh_snapshot **snapshot);
/* Restores a snapshot of this chip, or of one with the same configuration: the chip then proceeds as the other did. The
 * snapshot remains. Precondition: the caller is not inside bh_run, and the chip does not belong to a system. */
BH_API bh_status bh_snapshot_restore(bh_chip *chip, const bh_snapshot *snapshot);
BH_API size_t bh_snapshot_size(const bh_snapshot *snapshot); /* bytes; 0 for NULL */
BH_API void bh_snapshot_free(bh_snapshot *snapshot);         /* snapshot may be NULL */

/* ---- Watching --------------------------------------------------------------------------- */

/* The agents of a Tensix tile that are observed: cores by their numbers, threads of the coprocessor, units, NIUs. An
 * Ethernet tile has two cores, the NIUs, and the cable, whose packets are frames. */
enum bh_track {
    BH_TRACK_BRISC,
    BH_TRACK_TRISC0,
    BH_TRACK_TRISC1,
    BH_TRACK_TRISC2,
    BH_TRACK_NCRISC,
    BH_TRACK_T0,
    BH_TRACK_T1,
    BH_TRACK_T2,
    BH_TRACK_UNPACK0,
    BH_TRACK_UNPACK1,
    BH_TRACK_MATRIX,
    BH_TRACK_VECTOR,
    BH_TRACK_PACK,
    BH_TRACK_SCALAR,
    BH_TRACK_CONFIG,
    BH_TRACK_SYNC,
    BH_TRACK_MISC,
    BH_TRACK_MOVER,
    BH_TRACK_NOC0,
    BH_TRACK_NOC1,
    BH_TRACK_ETH,
    BH_TRACK_COUNT
};

BH_API const char *bh_track_name(enum bh_track track); /* "brisc" ... "T0" ... "matrix" ... "eth" */

enum bh_event_kind {
    BH_EVENT_WORK,        /* a core runs, an instruction passes its gate, a unit is busy, a packet leaves */
    BH_EVENT_WAIT,        /* the track waits */
    BH_EVENT_PACKET,      /* a packet has arrived; from its departure to the arrival of its last flit */
    BH_EVENT_REQUEST,     /* a request leaves a NIU; like BH_EVENT_WORK, but requests may overlap */
    BH_EVENT_INSTRUCTION, /* a core has executed an instruction; until its next one began */
};

enum bh_access { BH_ACCESS_WRITE = 1, BH_ACCESS_READ = 2 };

/* What an instruction of a core has done. */
struct bh_instruction {
    uint64_t number;    /* instructions that the core had retired before it */
    uint64_t issued;    /* cycle in which its operands were available; of words pushed in a row, those of the first */
    uint64_t done;      /* cycle in which its result was available, or the next instruction could begin */
    uint64_t waited;    /* cycles in which the core was blocked in it, or slept in a loop that begins with it */
    unsigned access;    /* enum bh_access: of memory or of registers of the tile; of a vector: 0 */
    uint32_t address;   /* of that access */
    uint32_t size;      /* in bytes, of that access */
    uint32_t stored;    /* value that it has stored */
    int reg;            /* BH_REG_X0 + n or BH_REG_F0 + n that it has written; -1: none */
    uint32_t value;     /* of that register afterwards */
    int csr;            /* CSR that it has written; -1: none */
    uint32_t csr_value; /* of that CSR afterwards */
    uint32_t vectors;   /* mask of the vector registers that it has changed */
    const uint8_t *vector; /* their 16 bytes each, from the lowest register on */
    uint32_t vtype, vl;    /* after a vector instruction */
};

/* An event that lasts for the cycles [start, end). On one track, work and waits do not overlap; packets may overlap
 * with both. */
struct bh_event {
    enum bh_event_kind kind;
    enum bh_track track;
    struct bh_xy tile;
    uint64_t start, end;
    const char *name;  /* the instruction, the reason of the wait, or the kind of packet; constant */
    uint32_t count;    /* number of consecutive instructions of that name */
    uint32_t word;     /* the first of them; 0 for cores */
    uint32_t pc;       /* of the instruction that pushed it, that waits, or that sent the packet */
    uint64_t at;       /* address of the wait or of the packet; else 0 */
    uint32_t bytes;    /* data bytes of the packet */
    struct bh_xy peer; /* of a packet: the tile at the other end; (255,255) for several */
    /* BH_EVENT_REQUEST: */
    struct bh_xy from, to; /* of a multicast: corners of the rectangle of its receivers, as NoC 0 counts */
    uint32_t asked;        /* bytes that a read asks for */
    int8_t core;           /* core that has made the request; -1: none */
    uint8_t vc;            /* virtual channel */
    bool posted;           /* no response is wanted */
    /* BH_EVENT_INSTRUCTION: */
    const struct bh_instruction *instruction; /* valid during the callback */
};

enum bh_watch {
    BH_WATCH_STATS = 1,        /* cycles, waits and instructions of every track */
    BH_WATCH_PROFILE = 2,      /* executions and cycles of every instruction of the cores */
    BH_WATCH_EVENTS = 4,       /* on_event is called for every event */
    BH_WATCH_INSTRUCTIONS = 8, /* and for every instruction of the cores and every request of a NIU; those of threads
                                  and units come one by one. Rounds of a polling loop in which a core sleeps are not
                                  executed, and not reported */
};

/* Starts to observe the chip (what: bits of enum bh_watch), and discards the results of an earlier observation; what =
 * 0 ends it. BH_WATCH_EVENTS needs on_event, BH_WATCH_INSTRUCTIONS needs BH_WATCH_EVENTS (BH_ERR_ARGUMENT otherwise).
 * BH_ERR_STATE inside on_event.
 * Observation does not change values or cycles. bh_run calls on_event on the thread of its caller, in an order that
 * depends on simulated time and tile only; the event is valid during the call. */
BH_API bh_status bh_observe(bh_chip *chip, unsigned what, void (*on_event)(void *user, const struct bh_event *event),
                            void *user);
/* Reports the events that have begun but not ended to on_event, as if they ended now. BH_ERR_STATE if the chip is not
 * observed, and inside on_event; BH_ERR_MEMORY if events were lost because host memory was short. */
BH_API bh_status bh_observe_flush(bh_chip *chip);

struct bh_track_stats {
    uint64_t busy;    /* cycles in which a core is out of reset and does not wait; an instruction of a thread passes
                         its gate; a unit executes; a request of a NIU leaves */
    uint64_t stalled; /* cycles in which a core polls or is blocked; the first instruction of a thread is held at
                         its gate; an instruction for the unit is held there, or waits in it for a bank of Src */
    uint64_t instructions; /* retired by a core, passed by a thread, accepted by a unit; packets sent by a NIU */
    uint64_t packets_in, bytes_in, bytes_out; /* of a NIU */
};

/* A reason for which a track waited. */
struct bh_stall {
    const char *why;
    uint32_t at; /* address of the polled word or of the blocked access of a core, else 0 */
    uint64_t cycles;
};

struct bh_mix {
    const char *name;
    uint64_t count;
};

/* Returns the counts of a track of a Tensix or Ethernet tile since the observation began; BH_ERR_STATE if the chip is
 * not observed. */
BH_API bh_status bh_stats_get(const bh_chip *chip, struct bh_xy tile, enum bh_track track,
                              struct bh_track_stats *stats);
/* Returns the reasons for which a track waited by index from 0, the longest first; BH_ERR_ARGUMENT past the last. */
BH_API bh_status bh_stall_at(const bh_chip *chip, struct bh_xy tile, enum bh_track track, unsigned index,
                             struct bh_stall *stall);
/* Returns the executed instructions of a track by index from 0, the most frequent first; BH_ERR_ARGUMENT past the last.
 * Those of cores need BH_WATCH_PROFILE; iterations of a polling loop in which the core slept are not counted. */
BH_API bh_status bh_mix_at(const bh_chip *chip, struct bh_xy tile, enum bh_track track, unsigned index,
                           struct bh_mix *mix);

/* An instruction of a core. */
struct bh_profile {
    uint32_t pc, word;
    uint64_t count;  /* number of executions */
    uint64_t cycles; /* until the next instruction began */
    uint64_t waited; /* cycles in which the core was blocked or polled at the instruction */
};

/* Returns the first executed instruction at pc or after it; BH_ERR_ARGUMENT if there is none, BH_ERR_STATE without
 * BH_WATCH_PROFILE. */
BH_API bh_status bh_profile_from(const bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t pc,
                                 struct bh_profile *row);
/* Returns the packets that all tiles other than Tensix tiles have sent (as instructions) and received, and their data
 * bytes; BH_ERR_STATE if the chip is not observed. */
BH_API bh_status bh_endpoint_stats(const bh_chip *chip, struct bh_track_stats *stats);

/* ---- Hazards ----------------------------------------------------------------------------- */

enum bh_hazard_kind {
#define BH_HAZARD(name, text, remedy) BH_HAZARD_##name,
#include "bhemu_hazard.def"
    BH_HAZARD_KIND_COUNT
};

enum bh_verdict {
#define BH_VERDICT(name, text) BH_VERDICT_##name,
#include "bhemu_hazard.def"
    BH_VERDICT_COUNT
};

BH_API const char *bh_hazard_kind_name(enum bh_hazard_kind kind); /* "READ_IN_FLIGHT" */
BH_API const char *bh_hazard_kind_text(enum bh_hazard_kind kind); /* what happened, as one sentence */
BH_API const char *bh_hazard_remedy(enum bh_hazard_kind kind);    /* what would order the accesses */
BH_API const char *bh_verdict_name(enum bh_verdict verdict);      /* "RACE" */

/* Memories, and what bh_hazard.address counts in them. */
enum bh_hazard_memory {
    BH_HAZARD_IN_NOTHING,       /* an end of a program */
    BH_HAZARD_IN_L1,            /* bytes */
    BH_HAZARD_IN_DRAM,          /* bytes of the bank */
    BH_HAZARD_IN_GPRS,          /* 64 * thread + GPR */
    BH_HAZARD_IN_CONFIG,        /* bits: 32 * (256 * bank + word) + bit */
    BH_HAZARD_IN_DST,           /* rows */
    BH_HAZARD_IN_SRC,           /* 2 * file + bank; file: 0 SrcA, 1 SrcB */
    BH_HAZARD_IN_MOP,           /* threads, for the registers of their MOP expanders */
    BH_HAZARD_IN_SEMAPHORES,    /* semaphores */
    BH_HAZARD_IN_REPLAY,        /* 32 * thread + slot */
    BH_HAZARD_IN_LREGS,         /* LRegs; 17: the lane flags */
    BH_HAZARD_IN_BUFFERS,       /* circular buffers; those of bh_check_buffer from 64 on */
    BH_HAZARD_IN_COMMANDS,      /* 4 * NoC + command buffer */
    BH_HAZARD_IN_THREAD_CONFIG, /* bits: 16 * (68 * thread + word) + bit */
    BH_HAZARD_MEMORY_COUNT
};
BH_API const char *bh_hazard_memory_name(enum bh_hazard_memory memory); /* "L1" */

/* One of the two accesses of a hazard. */
struct bh_hazard_side {
    struct bh_xy tile;
    char agent[32]; /* "trisc0", "packer", "NoC 0 read" */
    int core;       /* that has executed the instruction, or pushed it; -1: none */
    bool writes;
    uint32_t pc;   /* of that core's instruction */
    uint32_t word; /* the instruction: of the core, or of the coprocessor if `tensix` */
    bool tensix;
    uint64_t cycle; /* of the access in this run */
};

/* Two accesses that nothing orders, of which at least one writes. In another run, or on another chip, the second may
 * come first. */
struct bh_hazard {
    enum bh_hazard_kind kind;
    enum bh_verdict verdict;
    struct bh_hazard_side first, second;
    struct bh_xy tile; /* whose memory it is */
    char place[80];    /* "L1 0x00012340", "Dst row 16", "Config[0][69] THCON_SEC0_REG1_L1_Dest_addr" */
    uint64_t count;    /* how often these two instructions have met */
    enum bh_hazard_memory memory;
    uint64_t address; /* first one in that memory */
    char buffer[120]; /* of L1: "circular buffer 3, page 1 of 2", where that is known (bh_check_firmware); else "" */
};

/* Starts to look for hazards, or ends it and discards what was found. The chip must have cycle timing
 * (BH_ERR_STATE otherwise), and runs on one host thread while it is checked. Checking does not change values or
 * cycles. */
BH_API bh_status bh_check(bh_chip *chip, bool on);
/* Tells the check where firmware notes the end of a kernel: a core that stores this value to one of these bytes of L1
 * has ended its kernel, like one that executes ebreak. Up to 32 ranges (BH_ERR_ARGUMENT beyond, and for bytes outside
 * of L1). Precondition: the chip is checked (BH_ERR_STATE otherwise). */
BH_API bh_status bh_check_end(bh_chip *chip, uint32_t address, uint32_t size, uint8_t value);
/* What a check has to know of tt-metal's firmware: where cores note the ends of kernels, and where the circular buffers
 * of a kernel are described. Addresses are those of L1, and differ between versions. */
struct bh_check_firmware {
    uint32_t start[BH_CORE_COUNT];              /* where NCRISC and the TRISCs start; that of BRISC does not count */
    uint32_t sync, sync_count;                  /* bytes in which they note an end as 0 */
    uint32_t go, go_count;                      /* words in whose last byte BRISC does */
    uint32_t launch, launch_size, launch_count; /* a ring of messages, bytes of one, how many */
    uint32_t launch_index;                      /* a word with the number of the present message */
    uint32_t config_base, cb_offset, cb_mask;   /* in a message: 4 bytes with the address of the configuration, 2 bytes
                                                   with where descriptions are in it, bits of those that are used */
    uint32_t cb_mask_size;                      /* bytes, up to 8 */
    uint32_t cb_count, cb_stream; /* buffers at most; the stream whose registers count pages of buffer 0 */
};
/* Describes firmware that tiles may run to the check: a tile runs it if its NCRISC and TRISCs have started at these
 * addresses, and reports then name its circular buffers. The struct is copied. Up to 8 may be described. Precondition:
 * the chip is checked (BH_ERR_STATE otherwise). */
BH_API bh_status bh_check_firmware(bh_chip *chip, const struct bh_check_firmware *firmware);
/* Describes a circular buffer of a tile to the check: a struct cb of guest/include/kit/cb.h at this address of L1,
 * which has the words address, bytes of a page, pages, pages that were pushed, pages that were popped. The name is
 * copied. Up to 32 for a tile. Precondition: the chip is checked (BH_ERR_STATE otherwise). */
BH_API bh_status bh_check_buffer(bh_chip *chip, struct bh_xy tile, const char *name, uint32_t address);
/* Tells the check that nothing more is going to run: every core that runs ends its program here, and the end of the
 * program is checked. Precondition: the chip is checked (BH_ERR_STATE otherwise). */
BH_API bh_status bh_check_finish(bh_chip *chip);
/* Returns the number of hazards found so far: each cause counts once. */
BH_API size_t bh_hazard_count(const bh_chip *chip);
/* Returns the hazards by index from 0; BH_ERR_ARGUMENT past the last. */
BH_API bh_status bh_hazard_at(const bh_chip *chip, size_t index, struct bh_hazard *hazard);
/* Returns whether something went unchecked because host memory, or room for more hazards, was short. */
BH_API bool bh_check_incomplete(const bh_chip *chip);

/* ---- Delays ---------------------------------------------------------------------------------- */

enum bh_delay_kind {
#define BH_DELAY(name, word, agent, most, text, source) BH_DELAY_##name,
#include "bhemu_delay.def"
    BH_DELAY_KIND_COUNT
};

BH_API const char *bh_delay_kind_name(enum bh_delay_kind kind);   /* "store" */
BH_API const char *bh_delay_kind_text(enum bh_delay_kind kind);   /* "a store of the core reaches L1 late" */
BH_API const char *bh_delay_kind_source(enum bh_delay_kind kind); /* why it may be late, and how far */
BH_API uint32_t bh_delay_kind_most(enum bh_delay_kind kind);      /* cycles */

/* An event that takes longer than usual. Only the first part names the event; the second is what a run adds, and
 * bh_vary_only ignores it. */
struct bh_delay {
    enum bh_delay_kind kind;
    struct bh_xy tile; /* of a packet: the sender */
    struct bh_xy to;   /* packets only: the receiver */
    uint8_t agent;     /* core, thread, unpacker or NoC, as the kind says; else 0 */
    uint64_t number;   /* of the event among those of its agent, from 0 on; see bhemu_delay.def */
    uint32_t cycles;

    uint64_t cycle; /* in which the event was to happen */
    int core;       /* whose instruction has caused it; -1: none or unknown */
    uint32_t pc;    /* of that instruction */
};

/* Delays events of later runs, each kind within the bounds of bhemu_delay.def: a program that waits wherever it has to
 * computes the same. All delays follow from the seed, on any number of host threads. Seed 0: no delays. The chip must
 * have cycle timing (BH_ERR_STATE otherwise). The setting belongs to the handle, like that of bh_check: bh_reset and
 * bh_load keep it, bh_save does not write it. The numbers of events are saved, so that a restored chip goes on as the
 * saved one would have if bh_vary is called with the same seed. */
BH_API bh_status bh_vary(bh_chip *chip, uint64_t seed);
/* Delays the events of this list, and no others. The list is copied. BH_ERR_ARGUMENT for a tile or a kind that does not
 * exist, or more cycles than bh_delay_kind_most. */
BH_API bh_status bh_vary_only(bh_chip *chip, const struct bh_delay *delays, size_t count);
/* Delays events as a text says: a seed, "none" (an empty list), or delays as bh_delay_text writes them, with + between
 * them. */
BH_API bh_status bh_vary_text(bh_chip *chip, const char *text);
/* Return the number of delays in runs since bh_vary, and the delays by index from 0, in the order of their events'
 * cycles; BH_ERR_ARGUMENT past the last. */
BH_API size_t bh_delay_count(const bh_chip *chip);
BH_API bh_status bh_delay_at(const bh_chip *chip, size_t index, struct bh_delay *delay);
/* Returns whether delays are missing from the list because host memory was short. */
BH_API bool bh_delays_incomplete(const bh_chip *chip);
/* Writes a delay as text, "store@1,2.brisc#5=40" or "request@1,2-2,2#17=300". text may be NULL. Returns the length
 * of the whole text, like snprintf. */
BH_API size_t bh_delay_text(const struct bh_delay *delay, char *text, size_t size);
/* Reads such a text, up to its end or a '+'. Returns a pointer to that character of the text, or NULL if the text is
 * wrong. */
BH_API const char *bh_delay_parse(const char *text, struct bh_delay *delay);

/* ---- Debugging ---------------------------------------------------------------------------
 *
 * A debugged chip reports events to a callback in the middle of bh_run: between two instructions of a core, or at the
 * end of an epoch. Nothing moves while the callback runs, and afterwards the chip goes on as if it had not been called:
 * values, cycles and bh_state_hash do not depend on debugging. Inside of an epoch tiles run one after the other, and
 * cores of a tile up to `skew` cycles apart; the callback sees each of them where it is.
 *
 * The callback may call functions without side effects (bh_peek, bh_core_get, bh_core_query, bh_report, those about the
 * coprocessor), bh_poke, bh_core_set, bh_core_poke, bh_observe, and the functions of this section. Those that run, save
 * or restore the chip refuse (BH_ERR_STATE). bh_cycle is the beginning of the epoch then. */

enum bh_debug_kind {
    BH_DEBUG_BREAK, /* a core is about to execute an instruction with a breakpoint */
    BH_DEBUG_STEP,  /* a core of bh_step is about to execute an instruction */
    BH_DEBUG_WRITE, /* bytes of a watchpoint have been written */
    BH_DEBUG_READ,  /* bytes of a watchpoint have been read */
    BH_DEBUG_FAULT, /* a core or a thread has faulted */
    BH_DEBUG_TIME,  /* an epoch has ended: bh_debug_at */
};

struct bh_debug_event {
    enum bh_debug_kind kind;
    struct bh_xy tile;
    int core;        /* between two instructions of which the chip stands; -1: at the end of an epoch */
    uint32_t pc;     /* of the core's next instruction */
    uint64_t number; /* of that instruction: instructions that the core has retired before it */
    uint64_t cycle;  /* the core's time, or the end of the epoch */
    /* Of an access: */
    uint32_t address, size;
    int by;         /* core that made the access; -1: another agent */
    char agent[64]; /* "trisc1 at pc 0x1234", "packer", "NoC 0 from tile 2,3", "host" */
    /* Of BH_DEBUG_FAULT: */
    const struct bh_fault *fault; /* valid during the callback */
};

/* Starts to debug the chip, without breakpoints and watchpoints; NULL ends it. A debugged chip runs on one host thread.
 * The event is valid during the callback. The next four functions return BH_ERR_STATE if the chip is not debugged. */
BH_API bh_status bh_debug(bh_chip *chip,
                          void (*on_event)(void *user, bh_chip *chip, const struct bh_debug_event *event), void *user);
/* Sets or removes a breakpoint for some cores (a mask) of a tile, at an aligned address of L1: bh_run reports each of
 * these cores before it executes the word at pc. The guest's memory does not change. Words that a core pushes in a row
 * (adjacent .ttinsn, or stores to the push window) are reported one by one, and pushed when all have been reported.
 * Rounds of a polling loop in which a core sleeps are not executed, and not reported. */
BH_API bh_status bh_breakpoint(bh_chip *chip, struct bh_xy tile, unsigned cores, uint32_t pc, bool on);
/* Sets the cores (a mask; 0: none) of a tile whose every instruction is reported. */
BH_API bh_status bh_step(bh_chip *chip, struct bh_xy tile, unsigned cores);

/* Sets or removes a watchpoint of any size (access: bits of enum bh_access). In L1 it reports writes by cores, the
 * coprocessor, packets and the host, and reads by loads of cores; in a core's own local memory (0xFFB00000), which
 * `core` selects, changes of the bytes and reads by that core; elsewhere loads and stores of cores at these addresses.
 * Reads by vector instructions are not seen. Accesses are reported before the next instruction of a core of the tile,
 * or at the end of the epoch; of more than 16 accesses in between, the first 16. */
BH_API bh_status bh_watchpoint(bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t address, uint32_t size,
                               unsigned access, bool on);
/* Asks for BH_DEBUG_TIME at the end of the first epoch that ends in this cycle or later; UINT64_MAX: never. */
BH_API bh_status bh_debug_at(bh_chip *chip, uint64_t cycle);

/* Access a tile as one of its cores sees it, including the core's own local memory, without side effects. The chip need
 * not be debugged. */
BH_API bh_status bh_core_peek(const bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t address, void *data,
                              size_t size);
BH_API bh_status bh_core_poke(bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t address, const void *data,
                              size_t size);

/* Returns a number that grows whenever the caller may have changed the chip, its configuration space or the windows of
 * its BARs, other than by bh_run. */
BH_API uint64_t bh_host_changes(const bh_chip *chip);

/* ---- The host's side of PCI Express ------------------------------------------------------ */

/* Access a word of the device's configuration space of 4 KiB. offset: a multiple of 4. */
BH_API bh_status bh_pci_config_read(bh_chip *chip, uint32_t offset, uint32_t *value);
BH_API bh_status bh_pci_config_write(bh_chip *chip, uint32_t offset, uint32_t value);
/* Access bytes of a BAR (0, 2 or 4) by offset, with side effects (docs/libttsim.md). No time passes. */
BH_API bh_status bh_bar_read(bh_chip *chip, unsigned bar, uint64_t offset, void *data, size_t size);
BH_API bh_status bh_bar_write(bh_chip *chip, unsigned bar, uint64_t offset, const void *data, size_t size);
/* Access bytes by bus address, through the BARs at their present addresses; BH_ERR_ADDRESS outside of them. */
BH_API bh_status bh_pci_read(bh_chip *chip, uint64_t address, void *data, size_t size);
BH_API bh_status bh_pci_write(bh_chip *chip, uint64_t address, const void *data, size_t size);

/* ---- Several chips ------------------------------------------------------------------------
 *
 * A system is a number of chips and the Ethernet cables between them (docs/system.md). Its chips are ordinary bh_chip
 * handles: every function of this header works on them, except that only bh_system_run moves their time (bh_run,
 * bh_reset, bh_save, bh_load and bh_snapshot_restore refuse). A port is an Ethernet channel as software counts it: live
 * channels only, from 0 on. Ports without a cable have no link.
 *
 *     bh_system *system;
 *     bh_system_create(&system);
 *     bh_system_add(system, BH_SYSTEM_QUIETBOX);
 *     bh_write(bh_system_chip(system, 2), tile, address, data, size);
 *     bh_system_run(system, 1000000, BH_RUN_STOP_ON_IDLE, &stop);
 *     bh_system_destroy(system);
 */

typedef struct bh_system bh_system;

/* Maxima of a system. */
enum { BH_SYSTEM_CHIPS = 2048, BH_SYSTEM_LINKS = 16384, BH_SYSTEM_RANKS = 256, BH_LINK_LATENCY_MIN = 16 };

/* Creates a system without chips. The caller ends it with bh_system_destroy. */
BH_API bh_status bh_system_create(bh_system **system);
/* Ends a system and its chips, whose handles are invalid afterwards; system may be NULL. */
BH_API void bh_system_destroy(bh_system *system);
/* Returns the message of the last call on this system that did not return BH_OK; "" if there is none. The text is valid
 * until the next call that fails, or bh_system_destroy. */
BH_API const char *bh_system_message(const bh_system *system);
/* Sets the number of host threads that run chips, including the caller's; the result does not depend on it. 0: one for
 * each processor of the host. A chip with host memory (host_read), and one that is observed, checked, varied or
 * debugged, runs on the caller's thread. All callbacks are called there. */
BH_API bh_status bh_system_threads(bh_system *system, unsigned threads);

/* Sets timing, skew, epoch, threads, debug_flaws and callbacks of the chips that bh_system_add and bh_system_describe
 * add. Callbacks get the handle of their chip. */
BH_API bh_status bh_system_defaults(bh_system *system, const struct bh_config *config);

/* Boards and machines that are sold, with the cables of tt-umd's cluster descriptors. */
enum bh_system_kind {
    BH_SYSTEM_P150,       /* one chip */
    BH_SYSTEM_P300,       /* a board with two chips, 2 cables */
    BH_SYSTEM_QUIETBOX,   /* four P150 in a ring, 16 cables */
    BH_SYSTEM_GALAXY,     /* 32 chips on four boards, 140 cables */
    BH_SYSTEM_QUIETBOX_2, /* two P300, 8 cables */
    BH_SYSTEM_KIND_COUNT
};
BH_API const char *bh_system_kind_name(enum bh_system_kind kind); /* "p150" ... "quietbox2" */
/* Adds the chips and cables of a machine. Chips and cables can be added between runs, not during one. */
BH_API bh_status bh_system_add(bh_system *system, enum bh_system_kind kind);
/* Adds the chips and cables that a text describes: tt-umd's cluster descriptor, a shorter form, or tt-metal's mesh
 * graph descriptor (docs/system.md). A text that is wrong adds nothing, and the message names the line. */
BH_API bh_status bh_system_describe(bh_system *system, const char *text, size_t size);
/* Adds a chip at the present time of the system, and returns its number in *chip, which may be NULL. The configuration
 * is copied; its threads: 0 means 1 here. */
BH_API bh_status bh_system_add_chip(bh_system *system, const struct bh_config *config, unsigned *chip);

/* A cable. */
struct bh_link {
    unsigned chip[2], port[2]; /* its two ends */
    unsigned latency;          /* cycles from the last bit of a frame on the wire to its effect; 0: the default, 425 */
    unsigned rate;             /* Gb/s, in each direction; 0: the default, 400 */
};
/* Adds a cable, whose link comes up at once, and returns its number in *index, which may be NULL. BH_ERR_ARGUMENT if a
 * port does not exist or has a cable. */
BH_API bh_status bh_system_add_link(bh_system *system, const struct bh_link *link, unsigned *index);

/* Return the number of chips and of cables, those of other processes included. */
BH_API unsigned bh_system_chip_count(const bh_system *system);
BH_API unsigned bh_system_link_count(const bh_system *system);
/* Returns a chip by number from 0; NULL past the last, and for a chip of another process. The chip belongs to the
 * system, and its handle is valid until bh_system_destroy. */
BH_API bh_chip *bh_system_chip(const bh_system *system, unsigned chip);
/* Returns a cable by number from 0, as it was added but with defaults for zeros; BH_ERR_ARGUMENT past the last. */
BH_API bh_status bh_system_link_at(const bh_system *system, unsigned link, struct bh_link *result);

/* ---- Time of a system */

struct bh_system_stop {
    enum bh_stop_reason reason;
    uint64_t cycle;        /* of every chip */
    unsigned waiting;      /* number of cores out of reset that wait for something */
    unsigned chip;         /* BH_STOP_FAULT and BH_STOP_DEADLOCK: of the fault */
    struct bh_fault fault; /* the first fault, or a core or thread that waits */
};

/* Runs all chips for the given number of cycles, or less if flags say so (enum bh_run_flags). Chips exchange frames at
 * least once in the shortest latency of a cable: the run ends for a fault, or because nothing can happen any more, at
 * such a time. The result does not depend on host threads, nor, with cycle timing, on how a run is divided. The time
 * of a system ends at cycle 2^51: a longer run ends there, and later ones do nothing. stop may be NULL. */
BH_API bh_status bh_system_run(bh_system *system, uint64_t cycles, unsigned flags, struct bh_system_stop *stop);
/* Returns the time of the system, which all its chips have. */
BH_API uint64_t bh_system_cycle(const bh_system *system);
/* Returns the maximum number of cycles between two exchanges of frames. */
BH_API unsigned bh_system_quantum(const bh_system *system);
/* Returns a hash over everything that software can observe, in all chips and on all cables. */
BH_API uint64_t bh_system_hash(const bh_system *system);
/* Writes a system to a file: its chips as bh_save does, and its cables with the frames on them. Precondition, here and
 * for the next three functions: no run is under way, and the chips are not divided among ranks (BH_ERR_STATE
 * otherwise). */
BH_API bh_status bh_system_save(bh_system *system, const char *path);
/* Restores a system with the same chips and cables from a file; it then goes on as the saved one would have. A file
 * that is damaged, or of another build or system, is refused and changes nothing. */
BH_API bh_status bh_system_load(bh_system *system, const char *path);
/* Do the same in memory, as bh_snapshot_take and bh_snapshot_restore do for a chip; bh_snapshot_free frees the
 * snapshot. */
BH_API bh_status bh_system_snapshot_take(bh_system *system, bh_snapshot **snapshot);
BH_API bh_status bh_system_snapshot_restore(bh_system *system, const bh_snapshot *snapshot);
/* Writes one line for each core and thread that waits, and for each link that is down. text may be NULL. Returns the
 * length of the whole text, like snprintf. */
BH_API size_t bh_system_report(const bh_system *system, char *text, size_t size);

/* ---- A system over several processes
 *
 * Processes that all make the same system can each run some of its chips: ranks, from 0 on, as with MPI. A transport
 * carries bytes between them; bhemu_mpi.h has one. Values, cycles and hashes are those of one process. */

struct bh_transport {
    unsigned rank, ranks; /* the number of this process, and how many there are */
    void *user;           /* first argument of the functions */
    /* Sends a message to another rank, without waiting for it: the bytes are copied. */
    bool (*send)(void *user, unsigned to, const void *data, size_t size);
    /* Waits for the next message of another rank. Messages arrive in the order of sending. The bytes stay until the
     * next call. */
    bool (*receive)(void *user, unsigned from, const void **data, size_t *size);
    /* Returns why the last call has failed. */
    const char *(*message)(void *user);
    /* Ends all ranks at once with this exit status. The library does not call it, nor close. */
    void (*abort)(void *user, int status);
    void (*close)(void *user);
};

/* Divides the chips among ranks, as equally as possible and in their order. Every rank calls this with the same chips
 * and cables, before the first run, and adds none afterwards; else all ranks fail with the same message. From then on
 *
 * - bh_system_chip returns NULL for chips of other ranks;
 * - all ranks call bh_system_run, bh_system_hash, bh_system_cut, bh_system_join and bh_system_reset_chip in the same
 *   order with the same arguments, and get the same results; if one fails, all do (bh_system_hash is 0 then);
 * - callbacks come on the rank of their chip, those of links on all;
 * - bh_system_report has the chips of this rank, and bh_system_link_stats the counts of the last of these calls.
 *
 * The transport must outlive the system; its owner closes it. */
BH_API bh_status bh_system_ranks(bh_system *system, const struct bh_transport *transport);
/* Returns the rank that runs a chip; 0 without ranks. */
BH_API unsigned bh_system_rank_of(const bh_system *system, unsigned chip);

/* ---- Links of a system */

/* Cuts a cable, or connects it again: both ends see that at once. Frames of TT-link that were on the wire are sent
 * again when the link is back; raw frames are lost. BH_ERR_STATE if the link is down (or up) already, and in a run. */
BH_API bh_status bh_system_cut(bh_system *system, unsigned link);
BH_API bh_status bh_system_join(bh_system *system, unsigned link);
/* Returns a chip to its power-on state. Its links go down and come up again, and the frames on their wires are lost;
 * the other chips are not affected. Precondition: no run is under way (BH_ERR_STATE otherwise). */
BH_API bh_status bh_system_reset_chip(bh_system *system, unsigned chip);

struct bh_link_event {
    unsigned link;
    bool up;
    uint64_t cycle;
    uint64_t lost; /* frames that were on the wire, or in a queue of a chip that was reset */
};
/* Sets a function that is called for each link that goes down or comes up; NULL: none. The event is valid during the
 * call. Inside it, functions that run or change the system refuse, as in a run (BH_ERR_STATE). */
BH_API bh_status bh_system_on_link(bh_system *system,
                                   void (*on_link)(void *user, bh_system *system, const struct bh_link_event *event),
                                   void *user);

/* Counts of a cable, those with two elements by its ends. */
struct bh_link_stats {
    bool up;
    uint64_t cuts;         /* how often the link went down */
    uint64_t frames[2];    /* sent by each end; those that are sent again count again */
    uint64_t bytes[2];     /* of these frames, with headers and CRC */
    uint64_t received[2];  /* frames that have arrived at each end */
    uint64_t dropped[2];   /* of these, frames that the end could not use */
    uint64_t resent[2];    /* frames of each end that were sent again after a cut */
    uint64_t lost[2];      /* frames of each end that were lost */
    uint64_t in_flight[2]; /* frames of each end that have not arrived, those in its queues included */
};
/* Returns the counts of a cable by number from 0; BH_ERR_ARGUMENT past the last. */
BH_API bh_status bh_system_link_stats(const bh_system *system, unsigned link, struct bh_link_stats *stats);

/* ---- Instruction set ------------------------------------------------------------------- */

enum { BH_INSTRUCTION_TEXT = 320 }; /* room for the text of any instruction */
/* Disassembles the word at pc: RISC-V, or Tensix (.ttinsn) if the low two bits are not 11. text may be NULL. Returns
 * the length of the whole text, like snprintf. */
BH_API size_t bh_disassemble(uint32_t pc, uint32_t word, char *text, size_t size);

/* A field of a Tensix instruction. used: number of its low bits that the hardware evaluates. */
struct bh_isa_field {
    const char *name;
    uint8_t low, width, used;
};

/* A Tensix instruction. Everything pointed to is constant and lives as long as the library. */
struct bh_isa_row {
    uint8_t opcode; /* bits 31:24 of the word */
    bool implemented;
    uint8_t occupancy; /* minimum number of cycles until the unit accepts the next instruction */
    uint8_t latency;   /* minimum number of cycles until the result can be used */
    unsigned field_count;
    const struct bh_isa_field *fields; /* in the order of encoders' arguments */
    const char *name;
    const char *unit;
    const char *gate;    /* block bits that hold it at the Wait Gate: "B0|B5", "never", "any", "all" (all nine) */
    const char *page;    /* of tt-isa-documentation; "" where none describes it */
    const char *meaning; /* one line */
};

/* A field of the Tensix configuration registers. */
struct bh_isa_config {
    const char *name;
    const char *section; /* part of the hardware: "ALU", "THCON", ... */
    bool thread;         /* in ThreadConfig, else in Config */
    uint8_t word, shift;
    uint8_t width; /* over 32: the field continues in the words that follow */
};

/* The number of words in memory that the cores of the chip have executed, by instruction. A word counts when it is
 * first executed, and again after it has been overwritten. */
struct bh_coverage {
    const char *name; /* RISC-V as in disassembly, Tensix in capitals */
    bool tensix;
    uint64_t words;
};

/* Returns every instruction by index from 0, RISC-V first; BH_ERR_ARGUMENT past the last. */
BH_API bh_status bh_coverage_at(const bh_chip *chip, unsigned index, struct bh_coverage *row);

/* Return the Tensix instructions, and the fields of the configuration registers, by index from 0; BH_ERR_ARGUMENT past
 * the last. */
BH_API bh_status bh_isa_at(unsigned index, struct bh_isa_row *row);
BH_API bh_status bh_isa_config_at(unsigned index, struct bh_isa_config *field);

#ifdef __cplusplus
}
#endif
#endif
