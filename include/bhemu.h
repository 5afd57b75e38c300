/* bhemu: an emulator of the Tenstorrent Blackhole chip.
 *
 * A chip is an opaque handle. There are no globals: any number of chips live side by side,
 * each used by one caller thread at a time. The library prints nothing, never exits and reads
 * no environment; every error is a value. A pointer that is NULL where one is needed is such an error
 * (BH_ERR_ARGUMENT); functions without a status answer 0, false or "" for a chip that is NULL.
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
 * Time is counted in AICLK cycles. Coordinates are the ones software on the chip uses
 * (translated, see docs/coordinates.md) unless a function says otherwise.
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

/* "0.1.0" */
BH_API const char *bh_version(void);

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
/* The two of an Ethernet tile go by the names of these. */
#define BH_ERISC0    BH_BRISC
#define BH_ERISC1    BH_NCRISC
#define BH_ALL_CORES ((1u << BH_CORE_COUNT) - 1)

/* Threads of the Tensix coprocessor of a tile: 0, 1 and 2. */
#define BH_THREADS 3

BH_API const char *bh_core_name(enum bh_core core); /* "brisc" ... "ncrisc" */

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

BH_API const char *bh_tile_kind_name(enum bh_tile_kind kind);

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
    unsigned cores;        /* mask of the cores that see this at the address */
    bool noc;              /* the NoC and the host see it too */
    unsigned load_latency; /* cycles, at least */
};

/* Regions in the order of their bases: BH_ERR_ARGUMENT past the last index. */
BH_API bh_status bh_region_at(unsigned index, struct bh_region *region);

/* ---- Making a chip -------------------------------------------------------------------- */

enum bh_board { BH_BOARD_P150, BH_BOARD_P100A };

/* How time passes (docs/timing.md). */
enum bh_timing {
    BH_TIMING_CYCLES, /* in cycles, as documented */
    BH_TIMING_LOOSE,  /* values only: what is begun is done, in an order that the hardware might have had, and cycle
                         counts say little. Faster. */
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
    char text[200]; /* one line for people; names core, pc, address and region */
};

/* The most that a configuration may ask for. */
enum { BH_THREADS_MAX = 64, BH_SKEW_MAX = 128, BH_EPOCH_MAX = 256 };

struct bh_config {
    enum bh_board board;
    uint16_t tensix_harvest; /* bit i: column i in telemetry order is dead (docs/coordinates.md) */
    uint16_t eth_harvest;    /* bit i: channel i is dead */
    uint8_t dram_harvest;    /* bit i: bank i is dead; at most one */
    unsigned threads;        /* host threads that run tiles, the caller's included: the result is the same for any
                                number. 0: as many as the host has processors, made when there is work for them */
    enum bh_timing timing;
    unsigned skew;  /* cycles that a core may run ahead of the others of its tile; 1 is lockstep. 0: 32, or 128 if
                       timing is loose */
    unsigned epoch; /* cycles between two exchanges among tiles; up to 19 every packet arrives in its cycle,
                       above it may come at the end of the epoch. 0: short while packets are on their way,
                       longer in times of silence (docs/ARCHITECTURE.md) */

    /* Called from bh_run, once a fault, after the offending core or thread has stopped. May be NULL. */
    void (*on_fault)(void *user, bh_chip *chip, const struct bh_fault *fault);
    /* Called from bh_run when the guest has done what the documents call unsafe on silicon, once a NIU: it was done
     * here, and nobody has stopped (docs/noc.md). May be NULL. */
    void (*on_warning)(void *user, bh_chip *chip, const struct bh_fault *warning);
    /* The host's memory as the device sees it over PCIe; NULL: no host memory. */
    void (*host_read)(void *user, uint64_t address, void *data, size_t size);
    void (*host_write)(void *user, uint64_t address, const void *data, size_t size);
    void *user;
};

/* The defaults: a P150 (all Tensix tiles and DRAM banks, twelve Ethernet channels), all of the host's processors. */
BH_API void bh_config_init(struct bh_config *config);
/* The defaults of a board with its usual harvesting. */
BH_API void bh_config_board(struct bh_config *config, enum bh_board board);

/* On failure *chip is NULL and message (if not NULL) has up to size bytes of explanation. */
BH_API bh_status bh_create(const struct bh_config *config, bh_chip **chip, char *message, size_t size);
BH_API void bh_destroy(bh_chip *chip); /* NULL is fine */
BH_API void bh_reset(bh_chip *chip);   /* power-on state; memories become zero */

/* The message behind the last status that was not BH_OK on this chip; "" if there is none. */
BH_API const char *bh_message(const bh_chip *chip);

/* Tiles in a fixed order, NULL-terminated by status: BH_ERR_ARGUMENT past the last index. */
BH_API bh_status bh_tile_at(const bh_chip *chip, unsigned index, struct bh_tile_info *info);
BH_API bh_status bh_tile_find(const bh_chip *chip, struct bh_xy tile, struct bh_tile_info *info);

/* ---- Memory and registers of tiles ----------------------------------------------------- */

/* As an access over the NoC: with effects, and waking whoever waits for them. Memory takes any
 * size and alignment, registers take aligned 32-bit words. */
BH_API bh_status bh_read(bh_chip *chip, struct bh_xy tile, uint64_t address, void *data, size_t size);
BH_API bh_status bh_write(bh_chip *chip, struct bh_xy tile, uint64_t address, const void *data, size_t size);
/* Without effects. Poke reaches read-only state and wakes nobody but pollers of the memory. */
BH_API bh_status bh_peek(const bh_chip *chip, struct bh_xy tile, uint64_t address, void *data, size_t size);
BH_API bh_status bh_poke(bh_chip *chip, struct bh_xy tile, uint64_t address, const void *data, size_t size);

/* ---- Programs ------------------------------------------------------------------------- */

struct bh_image_info {
    uint32_t entry;     /* where the core will start */
    uint32_t low, high; /* span of the L1 bytes written, [low, high) */
};

/* Loads a 32-bit RISC-V executable for one core of a tile and makes its entry the core's reset pc
 * (BRISC, whose reset pc is fixed, gets a jump at L1 address 0 if the entry is elsewhere).
 * Segments in the core's local memory are set aside: leaving reset sweeps that memory, so each bh_release that lets the
 * core out places them behind the sweep. Software that releases the core itself has to place them itself. */
BH_API bh_status bh_load_elf(bh_chip *chip, struct bh_xy tile, enum bh_core core, const void *image, size_t size,
                             struct bh_image_info *info);
/* The same for bytes that belong at an L1 address; entry is the address. */
BH_API bh_status bh_load_raw(bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t address, const void *data,
                             size_t size);
/* Lets cores (a mask) out of soft reset, or holds them in it. */
BH_API bh_status bh_release(bh_chip *chip, struct bh_xy tile, unsigned cores);
BH_API bh_status bh_hold(bh_chip *chip, struct bh_xy tile, unsigned cores);

/* ---- Time ----------------------------------------------------------------------------- */

struct bh_stop {
    enum bh_stop_reason reason;
    uint64_t cycle;        /* chip time now */
    unsigned waiting;      /* cores out of reset that wait for something */
    struct bh_fault fault; /* the first fault, when reason is BH_STOP_FAULT; with BH_STOP_DEADLOCK, who waits */
};

enum bh_run_flags {
    BH_RUN_STOP_ON_FAULT = 1, /* come back at the end of the epoch in which a core or a thread faulted */
    BH_RUN_STOP_ON_IDLE = 2,  /* come back early when nothing can happen any more: idle or deadlock */
};

/* Runs for the given number of cycles, or less as flags say. stop may be NULL. */
BH_API bh_status bh_run(bh_chip *chip, uint64_t cycles, unsigned flags, struct bh_stop *stop);
BH_API uint64_t bh_cycle(const bh_chip *chip);
/* Cycles between two exchanges among tiles, at most. */
BH_API unsigned bh_epoch(const bh_chip *chip);
/* Has the host written a register of a tile since the chip last ran, with a core running? A client that plays the bus
 * lets such a write take effect before it reads: a read over PCI Express takes longer than an epoch. */
BH_API bool bh_unsettled(const bh_chip *chip);

/* Is nothing on the chip able to go on, and on some tile a core stuck inside a load or store, or a Tensix thread at its
 * gate, with nobody left who could free it? A tile with a core that polls what the host may write (L1, registers), or a
 * thread that waits for L1 or an overlay stream, can still be woken from outside and does not count. */
BH_API bool bh_deadlocked(const bh_chip *chip);
/* One line for each core and thread of the chip that waits, and for what, in whatever state the chip is. Tiles with the
 * same lines are told once. Returns the length of the whole text, like snprintf: 0 if nobody waits. */
BH_API size_t bh_report(const bh_chip *chip, char *text, size_t size);

/* ---- Cores ---------------------------------------------------------------------------- */

enum bh_core_state {
    BH_CORE_IN_RESET,
    BH_CORE_RUNNING,
    BH_CORE_POLLING, /* in a loop that can only end by an outside write */
    BH_CORE_BLOCKED, /* inside a load or store that has to wait */
    BH_CORE_PAUSED,  /* by ebreak or ecall */
    BH_CORE_FAULTED,
};

/* Register numbers of bh_core_get and bh_core_set. */
enum bh_register {
    BH_REG_X0 = 0,  /* .. 31 */
    BH_REG_F0 = 32, /* .. 63 */
    BH_REG_PC = 64,
    BH_REG_CSR = 0x1000, /* + CSR number */
};

struct bh_core_info {
    enum bh_core_state state;
    uint32_t pc;
    uint64_t cycle;       /* the core's own time */
    uint64_t retired;     /* instructions since the chip was made */
    const char *waits_on; /* why it is blocked or polling, or "" */
    uint32_t waits_at; /* address of the access that is blocked, or of the first word that is polled (outside of local
                          memory, if there is one); else 0 */
};

BH_API bh_status bh_core_query(const bh_chip *chip, struct bh_xy tile, enum bh_core core, struct bh_core_info *info);
BH_API bh_status bh_core_get(const bh_chip *chip, struct bh_xy tile, enum bh_core core, unsigned reg, uint32_t *value);
BH_API bh_status bh_core_set(bh_chip *chip, struct bh_xy tile, enum bh_core core, unsigned reg, uint32_t value);
/* Lets a core go on that ebreak or ecall has paused, behind it; BH_ERR_STATE if none did. */
BH_API bh_status bh_core_resume(bh_chip *chip, struct bh_xy tile, enum bh_core core);
/* The fault that stopped the core; BH_ERR_STATE if none did. */
BH_API bh_status bh_core_fault(const bh_chip *chip, struct bh_xy tile, enum bh_core core, struct bh_fault *fault);

/* ---- The Tensix coprocessor ------------------------------------------------------------- */

enum bh_thread_state {
    BH_THREAD_IDLE,    /* nothing is queued and nothing in a pipeline */
    BH_THREAD_RUNNING, /* something is, and goes on by itself */
    BH_THREAD_WAITING, /* its first instruction stands at the gate until somebody else does something */
    BH_THREAD_FAULTED,
};

struct bh_thread_info {
    enum bh_thread_state state;
    uint32_t word;        /* the instruction at the gate, 0 if there is none */
    uint32_t pc;          /* of the core's instruction that pushed it, or what it was expanded from */
    unsigned queued;      /* instructions of its own TRISC that have not passed the gate, expansions counted once */
    uint64_t passed;      /* instructions that have, since the chip was made */
    const char *waits_on; /* why it did not pass when it last tried, or ""; bh_report says more */
};

BH_API bh_status bh_thread_query(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_thread_info *info);
/* The fault that stopped the thread; BH_ERR_STATE if none did. */
BH_API bh_status bh_thread_fault(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_fault *fault);

/* A thread's 64 general purpose registers. */
BH_API bh_status bh_gpr_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, unsigned index, uint32_t *value);
BH_API bh_status bh_gpr_set(bh_chip *chip, struct bh_xy tile, unsigned thread, unsigned index, uint32_t value);
/* A word of Config (bank 0 or 1) or of a thread's ThreadConfig, by the word of struct bh_isa_config. No effects. */
BH_API bh_status bh_tensix_config_get(const bh_chip *chip, struct bh_xy tile, unsigned bank, unsigned index,
                                      uint32_t *value);
BH_API bh_status bh_thread_config_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, unsigned index,
                                      uint32_t *value);
/* 16 bits of Dst as they are stored: row 0..1023, column 0..15. */
BH_API bh_status bh_dst_get(const bh_chip *chip, struct bh_xy tile, unsigned row, unsigned column, uint32_t *value);
/* A lane (0..31) of a register of the Vector Unit (0..16). */
BH_API bh_status bh_lreg_get(const bh_chip *chip, struct bh_xy tile, unsigned index, unsigned lane, uint32_t *value);
/* One of the eight semaphores. max may be NULL. */
BH_API bh_status bh_semaphore_get(const bh_chip *chip, struct bh_xy tile, unsigned index, uint32_t *value,
                                  uint32_t *max);

/* ---- Inside the Tensix coprocessor --------------------------------------------------------
 *
 * Readers without effects: a run and its bh_state_hash are the same whoever looks, and when. They show what is there
 * when cycle bh_cycle begins. A NULL chip or result is BH_ERR_ARGUMENT, like a number that is too large. */

/* The wait that a STALLWAIT, SEMWAIT or STREAMWAIT of a thread has latched (docs/coprocessor.md). */
struct bh_wait {
    uint8_t opcode;     /* of that instruction (struct bh_isa_row). 0: no wait is latched, and all else is 0 */
    uint8_t semaphores; /* SEMWAIT: a mask of those it looks at */
    uint8_t stream;     /* STREAMWAIT: number of the overlay stream */
    uint16_t block;     /* instructions that it holds, bits B0..B8 */
    uint16_t condition; /* STALLWAIT: bits C0..C12; SEMWAIT: 1 while zero, 2 while at the maximum; STREAMWAIT: 1 the
                           phase, 2 the number of messages */
    uint16_t unmet;     /* what still keeps it waiting: bits of condition; SEMWAIT: bits of semaphores */
    uint32_t target;    /* STREAMWAIT: the phase or the number of messages that it waits for */
    uint64_t since;     /* cycle in which it was latched */
    uint64_t until;     /* it holds nothing from this cycle on; UINT64_MAX: not known */
    char text[256];     /* what it waits for, one line for people; "" if nothing is left and it is about to end */
};
BH_API bh_status bh_wait_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_wait *wait);

/* Address counters: a thread has a set for each of these. */
enum bh_adc_user { BH_ADC_UNPACKER0, BH_ADC_UNPACKER1, BH_ADC_PACKER, BH_ADC_USERS };

/* Counters X, Y, Z and W, and the values (CR) that they start again from. */
struct bh_adc_channel {
    uint32_t value[4], cr[4];
};
/* Channel 0 is for the input address, 1 for the output address. */
struct bh_adc {
    struct bh_adc_channel channel[2];
};
BH_API bh_status bh_adc_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, enum bh_adc_user user,
                            struct bh_adc *adc);

/* A thread's counters of rows, for the Matrix and the Vector Unit, with the values (CR) that they start again from. */
struct bh_rwc {
    uint16_t dst, dst_cr;
    uint16_t sp; /* the Vector Unit's stack in Dst */
    uint8_t src_a, src_a_cr, src_b, src_b_cr;
    uint8_t fidelity; /* phase, 0..3 */
};
BH_API bh_status bh_rwc_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_rwc *rwc);

/* SrcA and SrcB have two banks each, of 64 rows and 16 columns. */
enum bh_src_file { BH_SRC_A, BH_SRC_B, BH_SRC_FILES };
enum bh_src_owner { BH_SRC_UNPACKERS, BH_SRC_MATRIX };

struct bh_src_info {
    enum bh_src_owner owner[2];       /* of each bank: who may use it */
    uint8_t format[2];                /* of the data that were unpacked there, as in ALU_FORMAT_SPEC */
    uint8_t unpacker_bank;            /* the bank that the unpackers fill next, if it is theirs */
    uint8_t matrix_bank;              /* the bank that the Matrix Unit reads, if it is its own */
    bool valid;                       /* dvalid: matrix_bank belongs to the Matrix Unit */
    bool free;                        /* unpacker_bank belongs to the unpackers */
    uint8_t unpacker_row[BH_THREADS]; /* row at which unpacks of each thread begin */
};
BH_API bh_status bh_src_query(const bh_chip *chip, struct bh_xy tile, enum bh_src_file file, struct bh_src_info *info);
/* A datum as it is stored: sign in bit 18, mantissa in 17:8, exponent in 7:0. Whoever owns the bank. */
BH_API bh_status bh_src_get(const bh_chip *chip, struct bh_xy tile, enum bh_src_file file, unsigned bank, unsigned row,
                            unsigned column, uint32_t *value);

/* A thread's MOP expander. It may be ahead of the gate, by what the FIFOs between hold. */
struct bh_mop_info {
    uint32_t config[9];  /* the words that software writes at 0xFFB80000 */
    uint16_t zmask_high; /* of MOP_CFG */
    uint8_t queued;      /* MOPs that wait to be expanded */
    bool expanding;      /* one is being expanded; if not, all below is 0 */
    uint8_t step;        /* of the next word: template 0: 0..3 A0..A3, 4 B; template 1: 0 start, 1 loop, 2 and 3 end */
    uint16_t outer,
        outer_count; /* iteration of the outer loop (template 1) or of the list (0), and how many there are */
    uint16_t inner, inner_count; /* of the inner loop, template 1 */
    uint32_t word, pc;           /* the MOP, and where it was pushed */
    uint32_t mask;               /* template 0: zmask_high with the MOP's 16 bits */
    uint32_t next;               /* the word that comes out next */
};
BH_API bh_status bh_mop_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_mop_info *info);

/* A thread's Replay expander. It may be ahead of the gate, by what the FIFO between holds. */
enum bh_replay_state { BH_REPLAY_IDLE, BH_REPLAY_RECORDING, BH_REPLAY_PLAYING };
struct bh_replay_info {
    uint32_t word[32];
    enum bh_replay_state state;
    bool executing; /* words pass on while they are recorded */
    uint8_t at;     /* index of the next word that is recorded or played */
    uint8_t left;   /* how many more are; 0: idle */
    uint32_t pc;    /* playing: where the REPLAY was pushed */
};
BH_API bh_status bh_replay_get(const bh_chip *chip, struct bh_xy tile, unsigned thread, struct bh_replay_info *info);

/* A hash over everything that software can observe: memories, registers, time. */
BH_API uint64_t bh_state_hash(const bh_chip *chip);

/* ---- Saving ----------------------------------------------------------------------------- */

/* Writes the whole chip to a file: memories, registers, what is on its way. Not from inside bh_run. A file of that name
 * is replaced when everything has been written. */
BH_API bh_status bh_save(bh_chip *chip, const char *path);
/* Makes the chip what it was when the file was saved: from then on both go the same way, cycle by cycle, on any number
 * of host threads. The chip must have the file's configuration (bh_saved_config); callbacks, host threads and observers
 * stay its own. A file that is damaged, or of another build, is refused, and the chip stays as it is. */
BH_API bh_status bh_load(bh_chip *chip, const char *path);
/* Sets what the file says of the configuration: board, harvesting, timing, skew and epoch. */
BH_API bh_status bh_saved_config(const char *path, struct bh_config *config, char *message, size_t size);

/* ---- Watching --------------------------------------------------------------------------- */

/* Who does something on a Tensix tile: cores by their numbers, threads of the coprocessor, units, NIUs. Of these an
 * Ethernet tile has two cores and the NIUs. */
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
    BH_TRACK_COUNT
};

BH_API const char *bh_track_name(enum bh_track track); /* "brisc" ... "T0" ... "matrix" ... "noc1" */

enum bh_event_kind {
    BH_EVENT_WORK,   /* a core runs, an instruction passes its gate, a unit is busy with it, a packet leaves */
    BH_EVENT_WAIT,   /* the track waits */
    BH_EVENT_PACKET, /* a packet has come, from where and when it left to when its last flit arrived */
};

/* Something that lasts from cycle start to before cycle end. On one track neither work nor waits overlap with anything
 * but packets. */
struct bh_event {
    enum bh_event_kind kind;
    enum bh_track track;
    struct bh_xy tile;
    uint64_t start, end;
    const char *name;  /* an instruction, what is waited for, a kind of packet; constant */
    uint32_t count;    /* instructions of that name, one right after the other */
    uint32_t word;     /* the first of them; 0 for cores */
    uint32_t pc;       /* of the instruction that pushed it, that waits, or that sent the packet */
    uint64_t at;       /* an address that is waited for, or that the packet is for; else 0 */
    uint32_t bytes;    /* of a packet's data */
    struct bh_xy peer; /* of a packet: the tile at the other end; (255,255) for several */
};

enum bh_watch {
    BH_WATCH_STATS = 1,   /* cycles, waits and instructions of every track */
    BH_WATCH_PROFILE = 2, /* where the cores are, and which instructions they run */
    BH_WATCH_EVENTS = 4,  /* on_event hears of everything */
};

/* Watches the chip from now on; 0 ends it and forgets. Results and cycles are the same as without. on_event is called
 * from bh_run, on the thread of its caller, in an order that depends on simulated time and tile only. */
BH_API bh_status bh_observe(bh_chip *chip, unsigned what, void (*on_event)(void *user, const struct bh_event *event),
                            void *user);
/* Tells on_event of what has begun and not ended yet, as if it ended now. */
BH_API bh_status bh_observe_flush(bh_chip *chip);

struct bh_track_stats {
    uint64_t busy;         /* cycles: a core out of reset and not waiting; an instruction of a thread passes its gate;
                              a unit has an instruction; the requests of a NIU leave */
    uint64_t stalled;      /* cycles: a core polls or is blocked; the first instruction of a thread is held at its gate;
                              an instruction for the unit is held there, or waits in it for a bank of Src */
    uint64_t instructions; /* retired, passed, taken; of a NIU: packets that left */
    uint64_t packets_in, bytes_in, bytes_out; /* of a NIU */
};

/* What a track waited for. */
struct bh_stall {
    const char *why;
    uint32_t at; /* the word that a core polls or the register that it is blocked at, else 0 */
    uint64_t cycles;
};

struct bh_mix {
    const char *name;
    uint64_t count;
};

/* Since the watch began. BH_ERR_STATE if nobody watches. */
BH_API bh_status bh_stats_get(const bh_chip *chip, struct bh_xy tile, enum bh_track track,
                              struct bh_track_stats *stats);
/* By index from 0, the longest first; BH_ERR_ARGUMENT past the last. */
BH_API bh_status bh_stall_at(const bh_chip *chip, struct bh_xy tile, enum bh_track track, unsigned index,
                             struct bh_stall *stall);
/* Instructions that were run, by index from 0, the most frequent first; BH_ERR_ARGUMENT past the last. Those of cores
 * need BH_WATCH_PROFILE, and rounds of a loop that a core slept in are not counted. */
BH_API bh_status bh_mix_at(const bh_chip *chip, struct bh_xy tile, enum bh_track track, unsigned index,
                           struct bh_mix *mix);

/* An instruction of a core. */
struct bh_profile {
    uint32_t pc, word;
    uint64_t count;  /* how often it was run */
    uint64_t cycles; /* that it took, until the next one began */
    uint64_t waited; /* that the core waited at it, blocked or polling */
};

/* The first instruction at pc or behind it that was run; BH_ERR_ARGUMENT if there is none. */
BH_API bh_status bh_profile_from(const bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t pc,
                                 struct bh_profile *row);
/* Data that packets brought to tiles that are not Tensix, and how many packets. */
BH_API bh_status bh_endpoint_stats(const bh_chip *chip, struct bh_track_stats *stats);

/* ---- The host's side of PCI Express ------------------------------------------------------ */

BH_API bh_status bh_pci_config_read(bh_chip *chip, uint32_t offset, uint32_t *value);
BH_API bh_status bh_pci_config_write(bh_chip *chip, uint32_t offset, uint32_t value);
/* bar is 0, 2 or 4. */
BH_API bh_status bh_bar_read(bh_chip *chip, unsigned bar, uint64_t offset, void *data, size_t size);
BH_API bh_status bh_bar_write(bh_chip *chip, unsigned bar, uint64_t offset, const void *data, size_t size);
/* By bus address, as the BARs are placed now. */
BH_API bh_status bh_pci_read(bh_chip *chip, uint64_t address, void *data, size_t size);
BH_API bh_status bh_pci_write(bh_chip *chip, uint64_t address, const void *data, size_t size);

/* ---- Instruction set ------------------------------------------------------------------- */

/* Text of one word as the core would see it at pc: RISC-V, or Tensix when the low two bits are not 11.
 * Returns the length that the whole text has, like snprintf. */
BH_API size_t bh_disassemble(uint32_t pc, uint32_t word, char *text, size_t size);

/* A field of a Tensix instruction. used: how many of its bits, from low up, the hardware looks at. */
struct bh_isa_field {
    const char *name;
    uint8_t low, width, used;
};

/* A Tensix instruction. Everything pointed to is constant and lives as long as the library. */
struct bh_isa_row {
    uint8_t opcode; /* bits 31:24 of the word */
    bool implemented;
    uint8_t occupancy; /* cycles until its unit takes another; the least */
    uint8_t latency;   /* cycles until its result can be used; the least */
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
    uint8_t width; /* over 32: it goes on in the words that follow */
};

/* How many words of an instruction the cores of the chip have run: a word counts when it is run for the first time, and
 * again after it has been overwritten. */
struct bh_coverage {
    const char *name; /* RISC-V as in disassembly, Tensix in capitals */
    bool tensix;
    uint64_t words;
};

/* Every instruction by index from 0, RISC-V first; BH_ERR_ARGUMENT past the last. */
BH_API bh_status bh_coverage_at(const bh_chip *chip, unsigned index, struct bh_coverage *row);

/* The tables, by index from 0; BH_ERR_ARGUMENT past the last. */
BH_API bh_status bh_isa_at(unsigned index, struct bh_isa_row *row);
BH_API bh_status bh_isa_config_at(unsigned index, struct bh_isa_config *field);

#ifdef __cplusplus
}
#endif
#endif
