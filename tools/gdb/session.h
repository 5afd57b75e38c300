/* Shared by the files of the server.
 *
 *     link.c      the socket: packets in and out, Ctrl-C
 *     session.c   a dialogue: commands, threads, memory, stops
 *     points.c    breakpoints and watchpoints
 *     describe.c  registers, and descriptions in XML
 *     reverse.c   history: snapshots, replay, the search for what came before
 *     run.c       runs in pieces; what to do with events of the chip
 *     monitor.c   `monitor` commands
 */
#ifndef TOOLS_GDB_SESSION_H
#define TOOLS_GDB_SESSION_H

#include <stdio.h>

#include "gdb/gdb.h"
#include "gdb/packet.h"

enum { TILES_MAX = 160 * BH_SYSTEM_CHIPS, SNAPSHOTS_MAX = 48, POINTS_MAX = 512 };
enum { STEP_CYCLES = 100000 }; /* a step that takes longer is given up */

/* A tile of a chip. */
struct place {
    struct bh_xy xy;
    unsigned chip; /* of a system, else 0 */
};

/* A thread of gdb: a core of a tile. */
struct thread {
    struct place tile;
    int core;
};

/* Of gdb's Z packets. */
enum point_kind { POINT_SOFTWARE, POINT_HARDWARE, POINT_WRITE, POINT_READ, POINT_ACCESS };

struct point {
    enum point_kind kind;
    struct thread thread; /* when it was set; the core selects local memory */
    uint32_t address, size;
    uint8_t *old; /* of a watchpoint: the bytes when the chip last stopped */
    bool leaving; /* gdb has removed it: it holds for other cores while one core steps off it */
};

/* A moment of a run. */
enum position_kind { AT_BOUNDARY, AT_CORE, AT_EPOCH };
struct position {
    enum position_kind kind;
    uint64_t cycle; /* bh_cycle */
    struct thread thread;
    uint64_t number; /* AT_CORE: instructions that the core has retired */
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

/* Meaning of events of the chip. */
enum mode {
    MODE_LIVE,    /* they may stop the run */
    MODE_SEARCH,  /* the last one before `bound` is noted */
    MODE_SEEK,    /* the run stops at `target` */
    MODE_ABANDON, /* they do not count: the state is about to be replaced */
};

enum back { BACK_NONE, BACK_STEP, BACK_CONTINUE, BACK_MISSED };

struct history {
    struct {
        uint64_t cycle;
        size_t log_at; /* bytes that the chip had read from the host */
        bh_snapshot *snapshot;
    } at[SNAPSHOTS_MAX];
    unsigned count;
    size_t bytes;
    uint64_t interval;   /* cycles between two of them, at least */
    double since, spent; /* host time of the first one, and the seconds that all took */
    uint64_t *cut;       /* where pieces of the run have ended, ascending */
    size_t cut_count, cut_room;
    uint64_t frontier; /* callbacks of the owner have been called for cycles before this one */
    uint8_t *log;      /* what the chip has read from the host since the first snapshot */
    size_t log_count, log_room, log_at;
    uint64_t changes; /* bh_host_changes at the end of the last run */
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
    char *last; /* packet sent, for a repetition */
    size_t last_size;
    bool no_ack, extended, started, killed;
    bool launched; /* this process has started gdb: the run ends with it */

    struct place tile[TILES_MAX]; /* live tiles with cores */
    bool attached[TILES_MAX];
    bool eth[TILES_MAX];
    uint8_t steps[TILES_MAX]; /* cores whose every instruction is reported */
    unsigned tile_count;
    unsigned program_count[TILES_MAX]; /* on each tile, as gdb knows them */
    struct thread general;             /* of register and memory commands */
    struct thread resumed;             /* of old commands that step */

    struct point point[POINTS_MAX];
    unsigned point_count;

    /* How the run goes on */
    enum mode mode;
    bool stepping;
    bool alone; /* gdb steps one thread and takes it that all others stand still: it does not expect their stops */
    struct thread stepper;
    uint64_t step_after; /* number of the instruction at which it stands; UINT64_MAX: any other counts */
    uint32_t range_low, range_high;
    uint64_t step_limit; /* chip time at which a step is given up */

    uint64_t run_end; /* of gdb_run, and its flags */
    unsigned flags;
    unsigned status;            /* of gdb_close */
    enum bh_stop_reason reason; /* why it ended */
    struct stop stop;           /* the last one */
    enum back back;             /* asked for; bound: from where */
    struct position bound, target;
    bool missed; /* a stop of another thread came meanwhile, at missed_at: the run goes back to it */
    struct position missed_at;
    struct stop missed_stop;
    uint64_t told[TILES_MAX][BH_CORE_COUNT]; /* number of the instruction of the last stop at a breakpoint, and 1 */
    bool searched;                           /* the bound has been reached */
    bool found;
    struct position candidate; /* the last that was found */
    struct stop candidate_stop;
    struct position before[TILES_MAX]; /* last instruction of each tile, AT_BOUNDARY: none */
    struct history history;
    FILE *trace; /* NULL: to gdb's console */
    bool tracing;
    bool ending; /* the last events come */
};

/* ---- link.c ---- */

/* Waits for gdb. Returns false if the socket fails. */
bool link_accept(struct gdb *gdb);
/* Returns whether gdb wants to connect, or has sent something, now. */
bool link_is_called(const struct gdb *gdb);
bool link_has_input(const struct gdb *gdb);
/* Receives the next packet or interrupt; PACKET_BAD: the connection has ended. */
enum packet_result link_receive(struct gdb *gdb);
void link_send(struct gdb *gdb, const char *data, size_t size);
void link_say(struct gdb *gdb, const char *text);
/* Sends text to gdb's console. Precondition: gdb waits for the run to stop, or for the answer to a monitor command. */
void link_print(struct gdb *gdb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void link_close(struct gdb *gdb);

/* ---- session.c ---- */

unsigned session_pid(struct place tile);
struct place session_place(uint64_t pid);
bool session_is_same(struct place a, struct place b);
/* Returns the chip of a tile. */
bh_chip *session_chip(const struct gdb *gdb, struct place tile);
/* Returns the cycle of the chip, or of the system. */
uint64_t session_cycle(const struct gdb *gdb);
/* Writes "tile 1,2", or "chip 1, tile 1,2" in a system. Returns text. */
enum { PLACE_TEXT = 40 };
const char *session_name(const struct gdb *gdb, struct place tile, char *text);
/* Returns the index of a tile; tile_count: there is none. */
unsigned session_tile(const struct gdb *gdb, struct place tile);
bool session_core_exists(const struct gdb *gdb, unsigned tile, int core);
/* The entry of gdb->told for a thread. */
uint64_t *session_told(struct gdb *gdb, struct thread thread);
/* Talks to gdb, after telling it why the chip has stopped, until the run goes on: forwards, backwards (gdb->back) or
 * not at all (gdb->killed). */
void session_talk(struct gdb *gdb, const struct stop *stop, const struct position *now);
/* After the end of the run: gdb keeps an extended connection until the user ends it. */
void session_linger(struct gdb *gdb);
/* Ends the connection: the run goes on without gdb. */
void session_leave(struct gdb *gdb);
/* Handles one packet. Returns true if the run goes on. */
bool session_command(struct gdb *gdb, const char *packet, size_t size);
/* Reads memory as a core sees it. Returns the number of bytes that could be read. */
size_t session_read(struct gdb *gdb, struct thread thread, uint32_t address, uint8_t *data, size_t size);

/* ---- points.c ---- */

/* Handles Z and z packets: returns the answer. */
const char *points_command(struct gdb *gdb, const char *packet);
/* Takes or removes those that are leaving. step: only one core steps. */
void points_resume(struct gdb *gdb, bool step);
void points_clear(struct gdb *gdb);
/* Notes the bytes of watchpoints. */
void points_note(struct gdb *gdb);
/* Returns the point at an instruction. */
const struct point *points_at(const struct gdb *gdb, const struct bh_debug_event *event);
/* Returns the watchpoint that an access concerns, if its bytes are other ones now; notes them. */
const struct point *points_watch(struct gdb *gdb, const struct bh_debug_event *event);

/* ---- describe.c ---- */

/* Handles g, G, p and P. Writes the answer. */
void describe_registers(struct gdb *gdb, const char *packet, char *answer);
/* Returns the whole text of an object of qXfer, malloc'ed; NULL: there is none. */
char *describe_object(struct gdb *gdb, const char *object, const char *annex);
/* Returns the number of programs on a tile. */
unsigned describe_program_count(const struct gdb *gdb, unsigned tile);
/* Writes the pc of a thread as a stop has it. */
void describe_pc(struct gdb *gdb, struct thread thread, char *text);
/* Writes a few words about a core. */
void describe_core(struct gdb *gdb, struct thread thread, char *text, size_t size);

/* ---- reverse.c ---- */

void history_clear(struct gdb *gdb);
/* At the beginning of a run and between its pieces: takes a snapshot if it is time. */
void history_begin(struct gdb *gdb);
void history_note(struct gdb *gdb);
/* Notes the end of a piece. */
void history_cut(struct gdb *gdb);
/* Returns where the piece that begins now ends. */
uint64_t history_next(const struct gdb *gdb, uint64_t now, uint64_t end);
/* Goes back as gdb->back says, and talks there; stop: how the piece of the run ended that follows. Returns the status
 * of the chip. Precondition: there is a snapshot. */
bh_status history_go_back(struct gdb *gdb, unsigned flags, struct bh_stop *stop);
/* Handles an event in MODE_SEARCH or MODE_SEEK. */
void history_event(struct gdb *gdb, const struct bh_debug_event *event);

/* ---- run.c ---- */

/* Begins to debug a chip, or all of a system. */
bh_status run_attach(struct gdb *gdb, bh_chip *chip, bh_system *system);
/* Returns the tile of an event. */
struct place run_place(const struct gdb *gdb, const struct bh_debug_event *event);
struct position run_position(const struct gdb *gdb, const struct bh_debug_event *event);
/* Returns the thread of an access: the core that made it, or another one of the tile. */
struct thread run_accessor(const struct gdb *gdb, const struct bh_debug_event *event);
/* Runs a piece; ended: something else than time has ended it. */
bh_status run_piece(struct gdb *gdb, uint64_t until, unsigned flags, struct bh_stop *stop);
/* Runs for a time. */
bh_status run_cycles(struct gdb *gdb, uint64_t cycles, unsigned flags, struct bh_stop *stop);
/* Sets the cores that report every instruction. */
void run_set_steps(struct gdb *gdb);

/* ---- monitor.c ---- */

/* Carries out a command and answers it. */
void monitor_command(struct gdb *gdb, const char *command);

#endif
