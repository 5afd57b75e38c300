/* Types and functions that the files of the server share.
 *
 *     link.c      the socket: packets in and out, Ctrl-C
 *     session.c   a dialogue: commands, threads, memory, stops
 *     points.c    breakpoints and watchpoints
 *     describe.c  registers, and descriptions in XML
 *     reverse.c   history: snapshots, replay, the search for earlier events
 *     run.c       runs in pieces; reactions to events of the chip
 *     monitor.c   `monitor` commands */
#ifndef TOOLS_GDB_SESSION_H
#define TOOLS_GDB_SESSION_H

#include <stdio.h>

#include "gdb/gdb.h"
#include "gdb/packet.h"

enum { TILES_MAX = 160 * BH_SYSTEM_CHIPS, SNAPSHOTS_MAX = 48, POINTS_MAX = 512, WATCH_MAX = 0x180000 /* bytes: L1 */ };
enum { STEP_CYCLES = 100000 }; /* a step that takes longer is abandoned */

/* A tile of a chip. */
struct tile_id {
    struct bh_xy xy;
    unsigned chip; /* of a system, else 0 */
};

/* A thread of gdb: a core of a tile. */
struct thread {
    struct tile_id tile;
    int core;
};

/* The numbers are those of gdb's Z packets. */
enum point_kind { POINT_SOFTWARE, POINT_HARDWARE, POINT_WRITE, POINT_READ, POINT_ACCESS };

struct point {
    enum point_kind kind;
    struct thread thread; /* gdb's current thread when it was set; the core says whose local memory is meant */
    uint32_t address, size;
    uint8_t *old; /* of a watchpoint: its bytes when the chip last stopped */
    bool leaving; /* gdb has removed it, to step a core off it: it still holds for other cores */
};

/* A moment of a run: between two pieces, before an instruction of a core, or at the end of an epoch of a chip. */
enum position_kind { AT_BOUNDARY, AT_CORE, AT_EPOCH };
struct position {
    enum position_kind kind;
    uint64_t cycle; /* bh_cycle */
    struct thread thread;
    uint64_t number; /* AT_CORE: number of instructions that the core has retired */
};

enum stop_cause {
    STOP_NONE,
    STOP_STEP,
    STOP_POINT,
    STOP_WATCH,
    STOP_INTERRUPT,
    STOP_FAULT,
    STOP_END,
    STOP_HISTORY,
    STOP_PROGRAMS
};

struct stop {
    enum stop_cause cause;
    unsigned signal;
    struct thread thread;
    enum point_kind kind; /* STOP_POINT, STOP_WATCH */
    uint32_t address;     /* STOP_WATCH */
};

/* The reaction to events of the chip. */
enum mode {
    MODE_LIVE,    /* they may stop the run */
    MODE_SEARCH,  /* the server records the last event before `bound` */
    MODE_SEEK,    /* the run stops at `target` */
    MODE_ABANDON, /* events are ignored: the state is about to be replaced */
};

enum back { BACK_NONE, BACK_STEP, BACK_CONTINUE, BACK_MISSED };

struct history {
    struct {
        uint64_t cycle;
        size_t log_at; /* number of bytes of `log` that the chip had read */
        bh_snapshot *snapshot;
    } at[SNAPSHOTS_MAX];
    unsigned count;
    size_t bytes;
    uint64_t interval;   /* least number of cycles between two snapshots */
    double since, spent; /* host time of the first snapshot, and seconds spent on all of them */
    uint64_t *cut;       /* cycles at which pieces of the run have ended, ascending */
    size_t cut_count, cut_room;
    uint64_t frontier; /* the owner's callbacks have been called for all cycles before this one */
    uint8_t *log;      /* all bytes that the chip has read from the host since the first snapshot */
    size_t log_count, log_room, log_at;
    uint64_t changes; /* the number of changes by the host (bh_host_changes) at the end of the last run */
};

struct gdb {
    struct gdb_owner owner;
    bh_chip *chip;       /* NULL: of a system, none is the only one */
    bh_system *system;   /* NULL: a chip by itself */
    unsigned chip_count; /* that are debugged */
    unsigned at_chip;    /* whose event is being handled */
    int listener, fd;    /* fd -1: no connection */
    unsigned port;
    struct packet_reader in;
    char *last; /* the last packet that was sent, in case gdb asks for it again */
    size_t last_size;
    bool no_ack, extended, started, killed;
    bool launched; /* this process has started gdb itself: the run ends when gdb does */

    struct tile_id tile[TILES_MAX]; /* live tiles with cores */
    bool attached[TILES_MAX];
    bool eth[TILES_MAX];
    uint8_t steps[TILES_MAX]; /* mask of the cores that report every instruction */
    unsigned tile_count;
    unsigned program_count[TILES_MAX]; /* number of programs on each tile that gdb has been told of */
    struct thread general;             /* current thread for register and memory commands */
    struct thread resumed;             /* current thread for the commands s, bs and bc */

    struct point point[POINTS_MAX];
    unsigned point_count;

    /* How the run continues: */
    enum mode mode;
    bool stepping;
    bool others_stand; /* gdb steps one thread, takes all others as standing still, and does not expect their stops */
    struct thread stepper;
    uint64_t step_after; /* number of the instruction at which the step begins; UINT64_MAX: any other ends it */
    uint32_t range_low, range_high;
    uint64_t step_limit; /* chip time at which the step is abandoned */

    uint64_t run_end; /* end of the current gdb_run */
    unsigned flags;
    unsigned status;            /* exit status, from gdb_close */
    enum bh_stop_reason reason; /* why the last run ended */
    struct stop stop;           /* the last stop */
    enum back back;             /* gdb has asked to go back from `bound` */
    struct position bound, target;
    bool missed; /* another thread has stopped during a step, at missed_at: the run will go back there */
    struct position missed_at;
    struct stop missed_stop;
    /* 1 + number of the instruction of the last stop at a breakpoint; 0: none */
    uint64_t last_break[TILES_MAX][BH_CORE_COUNT];
    bool searched; /* the search has reached `bound` */
    bool found;
    struct position candidate; /* the last matching event so far */
    struct stop candidate_stop;
    struct position before[TILES_MAX]; /* the last instruction of each tile; AT_BOUNDARY: none yet */
    struct history history;
    FILE *trace; /* file of `monitor trace`; NULL: gdb's console */
    bool tracing;
    bool ending; /* the last events are being flushed */
};

/* ---- link.c ---- */

/* Waits until gdb connects. Returns false if the socket fails. */
bool link_accept(struct gdb *gdb);
/* Return whether gdb is waiting to be connected, and whether it has sent something. Neither function waits. */
bool link_is_called(const struct gdb *gdb);
bool link_has_input(const struct gdb *gdb);
/* Waits for the next packet or interrupt. PACKET_BAD: the connection has ended. */
enum packet_result link_receive(struct gdb *gdb);
/* Sends a packet with this data, or with this text. */
void link_send(struct gdb *gdb, const char *data, size_t size);
void link_say(struct gdb *gdb, const char *text);
/* Sends text to gdb's console. Precondition: gdb waits for the run to stop, or for the reply to a monitor command. */
void link_print(struct gdb *gdb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void link_close(struct gdb *gdb);

/* ---- session.c ---- */

/* Convert between tiles and the process numbers by which gdb knows them. */
unsigned session_pid(struct tile_id tile);
struct tile_id session_tile_id(uint64_t pid);
bool session_is_same(struct tile_id a, struct tile_id b);
/* Returns the chip that has the tile. */
bh_chip *session_chip(const struct gdb *gdb, struct tile_id tile);
/* Returns the current cycle of the chip, or of the system. */
uint64_t session_cycle(const struct gdb *gdb);
/* Writes "tile 1,2", or "chip 1, tile 1,2" in a system, to text, which has room for TILE_TEXT bytes. Returns text. */
enum { TILE_TEXT = 40 };
const char *session_name(const struct gdb *gdb, struct tile_id tile, char *text);
/* Returns the index of a tile in gdb->tile, or tile_count if it is not there. */
unsigned session_tile(const struct gdb *gdb, struct tile_id tile);
bool session_core_exists(const struct gdb *gdb, unsigned tile, int core);
/* Returns the entry of a thread in gdb->last_break. */
uint64_t *session_last_break(struct gdb *gdb, struct thread thread);
/* Tells gdb why the chip has stopped, then handles its commands until the run continues: forwards, backwards
 * (gdb->back) or not at all (gdb->killed). */
void session_talk(struct gdb *gdb, const struct stop *stop, const struct position *now);
/* Answers commands after the end of the run, until the user ends an extended connection. */
void session_linger(struct gdb *gdb);
/* Ends the connection. The run continues without gdb. */
void session_leave(struct gdb *gdb);
/* Handles one packet. Returns whether the run continues. */
bool session_command(struct gdb *gdb, const char *packet, size_t size);
/* Reads memory as a core sees it. Returns the number of bytes that could be read. */
size_t session_read(struct gdb *gdb, struct thread thread, uint32_t address, uint8_t *data, size_t size);

/* ---- points.c ---- */

/* Handles Z and z packets. Returns the reply. */
const char *points_command(struct gdb *gdb, const char *packet);
/* Prepares the points for the run to continue. step: one core steps; otherwise, breakpoints that gdb has removed
 * (`leaving`) end here. */
void points_resume(struct gdb *gdb, bool step);
/* Removes all points. */
void points_clear(struct gdb *gdb);
/* Records the bytes of all watchpoints. */
void points_note(struct gdb *gdb);
/* Returns the breakpoint at the instruction of an event, or NULL. */
const struct point *points_at(const struct gdb *gdb, const struct bh_debug_event *event);
/* Returns the watchpoint that stops an access, or NULL: for writes, only if the bytes have changed (but see
 * POINT_ACCESS). Records the new bytes. */
const struct point *points_watch(struct gdb *gdb, const struct bh_debug_event *event);

/* ---- describe.c ---- */

/* Handles the packets g, G, p and P. Writes the reply. */
void describe_registers(struct gdb *gdb, const char *packet, char *answer);
/* Returns the whole text of an object of qXfer, or NULL if there is none. The caller frees it. */
char *describe_object(struct gdb *gdb, const char *object, const char *annex);
/* Returns the number of programs on a tile, given by its index. */
unsigned describe_program_count(const struct gdb *gdb, unsigned tile);
/* Writes the pc of a thread in the form of stop replies. */
void describe_pc(struct gdb *gdb, struct thread thread, char *text);
/* Writes a short description of a core's state. */
void describe_core(struct gdb *gdb, struct thread thread, char *text, size_t size);

/* ---- reverse.c ---- */

/* Forgets all snapshots and all that was recorded for replay. */
void history_clear(struct gdb *gdb);
/* Called where the past cannot be replayed, and when gdb connects: history starts here, with a snapshot. */
void history_begin(struct gdb *gdb);
/* Called between two pieces of a run: takes a snapshot if one is due. */
void history_note(struct gdb *gdb);
/* Records that a piece of the run ends now. */
void history_cut(struct gdb *gdb);
/* Returns the cycle at which the piece that begins now ends: where the run was cut before, or at the next multiple of
 * the length of pieces, and not after `end`. */
uint64_t history_next(const struct gdb *gdb, uint64_t now, uint64_t end);
/* Goes back as gdb->back says, and talks to gdb there. *stop: how the last piece ended after that. Returns the status
 * of the chip. Precondition: there is a snapshot. */
bh_status history_go_back(struct gdb *gdb, unsigned flags, struct bh_stop *stop);
/* Handles an event of the chip in MODE_SEARCH or MODE_SEEK. */
void history_event(struct gdb *gdb, const struct bh_debug_event *event);

/* ---- run.c ---- */

/* Begins to debug a chip, or all chips of a system. */
bh_status run_attach(struct gdb *gdb, bh_chip *chip, bh_system *system);
/* Returns the tile on which an event happened. */
struct tile_id run_tile_id(const struct gdb *gdb, const struct bh_debug_event *event);
/* Returns the moment of an event; NULL: the moment between two pieces. */
struct position run_position(const struct gdb *gdb, const struct bh_debug_event *event);
/* Returns the thread that gdb holds responsible for an access: the core that made it, or, for other agents, a core of
 * the tile. */
struct thread run_accessor(const struct gdb *gdb, const struct bh_debug_event *event);
/* Runs one piece, up to the cycle `until`, and lets a step end in time. */
bh_status run_piece(struct gdb *gdb, uint64_t until, unsigned flags, struct bh_stop *stop);
/* Runs the chip or the system for a number of cycles. */
bh_status run_cycles(struct gdb *gdb, uint64_t cycles, unsigned flags, struct bh_stop *stop);
/* Tells the chip which cores have to report every instruction. */
void run_set_steps(struct gdb *gdb);

/* ---- monitor.c ---- */

/* Carries out a monitor command and replies to gdb. */
void monitor_command(struct gdb *gdb, const char *command);

#endif
