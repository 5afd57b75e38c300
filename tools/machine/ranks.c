/* Ranks of the command line: see ranks.h. */
#include "machine/ranks.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/machine.h"
#include "text/file.h"

#define MODULE "libbhemu_mpi.so"

enum { STREAMS = 2, RANKS_MAX = BH_SYSTEM_RANKS }; /* the streams are stdout and stderr */

struct ranks {
    struct bh_transport transport;
    void *module;
    bool lost;             /* a rank cannot be reached */
    int kept[STREAMS];     /* files with the withheld output; -1: there is none */
    int terminal[STREAMS]; /* copies of the real stdout and stderr */
};

/* The outcome of an action on one rank. Its withheld output follows. */
struct verdict {
    uint64_t magic, digest;
    uint32_t ok, status;
    char message[sizeof((struct machine *)NULL)->message];
    uint64_t printed[STREAMS];
};

#define MAGIC UINT64_C(0x626865766572)

static bool exceeds_one(const char *name) {
    const char *count = getenv(name);
    return count && strtoul(count, NULL, 10) > 1;
}

/* The variables are those of Open MPI; of MPICH and its relatives; and of srun with PMIx, whose SLURM_NTASKS is also
 * set in batch scripts that start no ranks. */
bool ranks_are_several(void) {
    return exceeds_one("OMPI_COMM_WORLD_SIZE") || exceeds_one("PMI_SIZE") ||
           (getenv("PMIX_RANK") && exceeds_one("SLURM_NTASKS"));
}

uint64_t ranks_digest(uint64_t digest, const void *data, size_t size) {
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) /* FNV-1a */
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001B3);
    return digest;
}

/* ---- Opening and closing -------------------------------------------------------------------- */

/* mpirun terminates all ranks when one of them has died: says why this process ends. */
static void on_terminate(int signal) {
    static const char text[] = "bhemu run: this rank is ended by mpirun: another one has failed or was killed\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(128 + signal);
}

bool ranks_open(struct machine *m) {
    bool (*open)(struct bh_transport * transport, char *message, size_t size);
    struct ranks *ranks = calloc(1, sizeof *ranks);
    if (!ranks)
        return machine_fail(m, "out of memory");
    ranks->kept[0] = ranks->kept[1] = -1;
    m->ranks = ranks;
    ranks->module = dlopen(MODULE, RTLD_NOW | RTLD_GLOBAL);
    if (!ranks->module)
        return machine_fail(m, "mpirun has started several ranks, but this bhemu was made without MPI: %s", dlerror());
    void *symbol = dlsym(ranks->module, "bhemu_mpi_open");
    if (!symbol)
        return machine_fail(m, "%s: %s", MODULE, dlerror());
    memcpy(&open, &symbol, sizeof open);
    if (!open(&ranks->transport, m->message, sizeof m->message))
        return false;
    signal(SIGTERM, on_terminate);
    if (ranks->transport.ranks < 2)
        return machine_fail(m, "mpirun has started several ranks, but MPI of this bhemu finds only one: it is another "
                               "kind of MPI");
    m->progress.on = false;
    return true;
}

void ranks_close(struct machine *m) {
    struct ranks *ranks = m->ranks;
    fflush(stdout);
    if (ranks->transport.user) {
        if (ranks->lost)
            ranks->transport.abort(ranks->transport.user, 2);
        ranks->transport.close(ranks->transport.user);
    }
    for (unsigned i = 0; i < STREAMS; i++)
        if (ranks->kept[i] >= 0)
            close(ranks->kept[i]);
    free(ranks); /* the module stays loaded: MPI libraries do not survive being unloaded */
    m->ranks = NULL;
}

/* ---- Output of the ranks ---------------------------------------------------------------------- */

/* Rank 0 withholds nothing: its output comes first anyway. */
void ranks_keep(struct machine *m) {
    struct ranks *ranks = m->ranks;
    for (unsigned i = 0; i < STREAMS && ranks->transport.rank; i++) {
        fflush(i ? stderr : stdout);
        if (ranks->kept[i] < 0)
            ranks->kept[i] = memfd_create("printed", MFD_CLOEXEC);
        ranks->terminal[i] = dup((int)i + 1);
        if (ranks->kept[i] >= 0 && ranks->terminal[i] >= 0)
            dup2(ranks->kept[i], (int)i + 1);
    }
}

/* Returns what was printed since ranks_keep, and restores the stream. The caller frees the result. */
static char *stop_keeping(struct ranks *ranks, unsigned stream, uint64_t *size) {
    char *text = NULL;
    fflush(stream ? stderr : stdout);
    *size = 0;
    if (ranks->kept[stream] < 0 || ranks->terminal[stream] < 0)
        return NULL;
    dup2(ranks->terminal[stream], (int)stream + 1);
    close(ranks->terminal[stream]);
    ranks->terminal[stream] = -1;
    off_t length = lseek(ranks->kept[stream], 0, SEEK_END);
    if (length > 0 && (text = malloc((size_t)length)) &&
        pread(ranks->kept[stream], text, (size_t)length, 0) == (ssize_t)length)
        *size = (uint64_t)length;
    if (length > 0 && ftruncate(ranks->kept[stream], 0) == 0)
        lseek(ranks->kept[stream], 0, SEEK_SET);
    return text;
}

/* ---- Agreement ------------------------------------------------------------------------------- */

static bool lose(struct machine *m, const char *what, unsigned rank) {
    struct ranks *ranks = m->ranks;
    ranks->lost = true;
    return machine_fail(m, "rank %u: %s rank %u: %s", ranks->transport.rank, what, rank,
                        ranks->transport.message(ranks->transport.user));
}

static bool send_verdict(struct machine *m, struct verdict *own, char *const *printed) {
    const struct bh_transport *transport = &m->ranks->transport;
    size_t room = sizeof *own + own->printed[0] + own->printed[1];
    uint8_t *whole = malloc(room);
    if (!whole) {
        m->ranks->lost = true;
        return machine_fail(m, "out of memory");
    }
    memcpy(whole, own, sizeof *own);
    size_t used = sizeof *own;
    for (unsigned i = 0; i < STREAMS; i++) {
        if (own->printed[i])
            memcpy(whole + used, printed[i], own->printed[i]);
        used += own->printed[i];
    }
    bool ok = true;
    for (unsigned i = 0; i < transport->ranks && ok; i++)
        if (i != transport->rank && !transport->send(transport->user, i, whole, used))
            ok = lose(m, "cannot send to", i);
    free(whole);
    return ok;
}

static bool receive_verdict(struct machine *m, unsigned from, struct verdict *verdict) {
    const struct bh_transport *transport = &m->ranks->transport;
    const void *data;
    size_t size;
    if (!transport->receive(transport->user, from, &data, &size))
        return lose(m, "nothing comes from", from);
    if (size >= sizeof *verdict)
        memcpy(verdict, data, sizeof *verdict);
    if (size < sizeof *verdict || verdict->magic != MAGIC ||
        size != sizeof *verdict + verdict->printed[0] + verdict->printed[1]) {
        m->ranks->lost = true;
        return machine_fail(m, "rank %u does something else than rank %u", from, transport->rank);
    }
    verdict->message[sizeof verdict->message - 1] = '\0';
    const char *printed = (const char *)data + sizeof *verdict;
    for (unsigned i = 0; i < STREAMS && transport->rank == 0; printed += verdict->printed[i], i++)
        fwrite(printed, 1, verdict->printed[i], i ? stderr : stdout);
    return true;
}

/* Returns whether all ranks have succeeded and have the same digest. Otherwise sets a message, which is the same in all
 * ranks. */
static bool judge(struct machine *m, const struct verdict *verdict, const char *what) {
    unsigned ranks = m->ranks->transport.ranks, same = 0;
    for (unsigned i = 0; i < ranks; i++)
        same += !verdict[i].ok && strcmp(verdict[i].message, verdict[0].message) == 0;
    if (same == ranks)
        return machine_fail(m, "%s", verdict[0].message);
    for (unsigned i = 0; i < ranks; i++)
        if (!verdict[i].ok)
            return machine_fail(m, "rank %u: %.*s", i, (int)sizeof m->message - 20, verdict[i].message);
    for (unsigned i = 1; i < ranks; i++)
        if (verdict[i].digest != verdict[0].digest)
            return machine_fail(m, "rank %u has %s than rank 0", i, what);
    return true;
}

/* Exchanges verdicts with all ranks, and prints the withheld output. what: the meaning of different digests, in words.
 * status: see ranks_show; may be NULL. */
static bool agree(struct machine *m, bool ok, uint64_t digest, const char *what, int *status) {
    const struct bh_transport *transport = &m->ranks->transport;
    struct verdict *verdict = calloc(RANKS_MAX, sizeof *verdict), *own = &verdict[transport->rank];
    char *printed[STREAMS];
    if (!verdict) {
        m->ranks->lost = true;
        return machine_fail(m, "out of memory");
    }
    *own = (struct verdict){ .magic = MAGIC, .digest = digest, .ok = ok, .status = status ? (uint32_t)*status : 0 };
    if (!ok)
        snprintf(own->message, sizeof own->message, "%s", m->message);
    for (unsigned i = 0; i < STREAMS; i++)
        printed[i] = stop_keeping(m->ranks, i, &own->printed[i]);
    bool agreed = transport->ranks <= RANKS_MAX && send_verdict(m, own, printed);
    for (unsigned i = 0; i < transport->ranks && agreed; i++)
        if (i != transport->rank)
            agreed = receive_verdict(m, i, &verdict[i]);
    if (!agreed && !ok) /* the original mistake says more than the lost connection */
        (void)machine_fail(m, "%s", own->message);
    agreed = agreed && judge(m, verdict, what);
    for (unsigned i = transport->ranks; status && i-- > 0;)
        *status = verdict[i].status ? (int)verdict[i].status : *status;
    for (unsigned i = 0; i < STREAMS; i++)
        free(printed[i]);
    free(verdict);
    return agreed;
}

bool ranks_divide(struct machine *m, bool made) {
    if (!agree(m, made, m->digest, "other arguments or another command file", NULL))
        return false;
    bool divided = bh_system_ranks(m->system, &m->ranks->transport) == BH_OK;
    if (!divided)
        (void)machine_fail(m, "--system: %s", bh_system_message(m->system));
    return agree(m, divided, 0, "", NULL);
}

bool ranks_show(struct machine *m, int *status) {
    return agree(m, true, 0, "", status);
}

/* ---- Actions ------------------------------------------------------------------------------- */

/* Adds the file of an action to the digest. Every rank reads the files of all actions, even of those about chips of
 * other ranks: all must have the same programs. */
static bool digest_file(struct machine *m, const struct action *action, uint64_t *digest) {
    size_t size;
    if (action->kind == ACTION_LOAD) {
        const struct program *program = machine_open_program(m, action->file, program_open);
        const uint8_t *bytes = program ? program_bytes(program, &size) : NULL;
        if (bytes)
            *digest = ranks_digest(*digest, bytes, size);
        return program;
    }
    if (action->kind != ACTION_WRITE || action->words)
        return true;
    uint8_t *bytes = file_read(action->file, &size, m->message, sizeof m->message);
    if (bytes)
        *digest = ranks_digest(*digest, bytes, size);
    free(bytes);
    return bytes;
}

bool ranks_do(struct machine *m, struct machine *chip, const struct action *action) {
    uint64_t digest = 0;
    char what[120];
    bool is_run = action->kind == ACTION_RUN;
    snprintf(what, sizeof what, "another '%.*s'", (int)(action->file.n < 80 ? action->file.n : 80),
             action->file.p ? action->file.p : "");
    bool ok = chip && digest_file(chip, action, &digest);
    if (!is_run)
        ranks_keep(m);
    if (ok && (is_run || chip->chip))
        ok = machine_do_here(is_run ? m : chip, action);
    if (!ok && chip && chip != m)
        (void)machine_fail(m, "chip %u: %s", action->chip, chip->message);
    return agree(m, ok, digest, what, NULL);
}
