/* Sends and receives messages by MPI: see bhemu_mpi.h. Sending does not wait. Receiving polls for a message, with
 * pauses that get longer, so that ranks can share processors, and notice a rank that does not answer. */
#include "bhemu_mpi.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = 1, TIMEOUT = 600, SPINS = 200, YIELDS = 2000, PAUSE_NS = 50000 };

/* A message that is being sent. */
struct sent {
    struct sent *next;
    MPI_Request request;
    unsigned char data[];
};

struct mpi {
    MPI_Comm ranks;
    bool begun; /* this file has initialised MPI */
    bool dead;  /* a call has failed */
    double timeout;
    struct sent *sent;
    unsigned char *data; /* the last message that was received */
    char message[MPI_MAX_ERROR_STRING + 80];
};

static bool fail(struct mpi *mpi, const char *what, int error) {
    char text[MPI_MAX_ERROR_STRING];
    int size = 0;
    mpi->dead = true;
    MPI_Error_string(error, text, &size);
    snprintf(mpi->message, sizeof mpi->message, "%s: %.*s", what, size, text);
    return false;
}

/* Frees the messages that have been sent completely. */
static bool forget_sent(struct mpi *mpi) {
    for (struct sent **at = &mpi->sent; *at;) {
        struct sent *sent = *at;
        int done, error = MPI_Test(&sent->request, &done, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS)
            return fail(mpi, "MPI_Test", error);
        if (!done) {
            at = &sent->next;
            continue;
        }
        *at = sent->next;
        free(sent);
    }
    return true;
}

static bool send_message(void *user, unsigned to, const void *data, size_t size) {
    struct mpi *mpi = user;
    if (mpi->dead || !forget_sent(mpi))
        return false;
    struct sent *sent = size <= INT_MAX ? malloc(sizeof *sent + size) : NULL;
    if (!sent) {
        snprintf(mpi->message, sizeof mpi->message, "no memory for a message of %zu bytes", size);
        return false;
    }
    memcpy(sent->data, data, size);
    int error = MPI_Isend(sent->data, (int)size, MPI_BYTE, (int)to, TAG, mpi->ranks, &sent->request);
    if (error != MPI_SUCCESS) {
        free(sent);
        return fail(mpi, "MPI_Isend", error);
    }
    sent->next = mpi->sent;
    mpi->sent = sent;
    return true;
}

static void rest(unsigned tries) {
    const struct timespec pause = { 0, PAUSE_NS };
    if (tries > YIELDS)
        nanosleep(&pause, NULL);
    else if (tries > SPINS)
        sched_yield();
}

static bool find_message(struct mpi *mpi, unsigned from, MPI_Message *found, MPI_Status *status) {
    double start = MPI_Wtime();
    for (unsigned tries = 0;; tries++) {
        int there, error = MPI_Improbe((int)from, TAG, mpi->ranks, &there, found, status);
        if (error != MPI_SUCCESS)
            return fail(mpi, "MPI_Improbe", error);
        if (there)
            return true;
        if (tries > YIELDS && MPI_Wtime() - start > mpi->timeout) {
            mpi->dead = true;
            snprintf(mpi->message, sizeof mpi->message, "no answer for %g seconds (BHEMU_MPI_TIMEOUT)", mpi->timeout);
            return false;
        }
        rest(tries);
    }
}

static bool receive_message(void *user, unsigned from, const void **data, size_t *size) {
    struct mpi *mpi = user;
    MPI_Message found;
    MPI_Status status;
    int count;
    if (mpi->dead || !find_message(mpi, from, &found, &status))
        return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    free(mpi->data);
    mpi->data = malloc((size_t)count + 1);
    if (!mpi->data) {
        snprintf(mpi->message, sizeof mpi->message, "no memory for a message of %d bytes", count);
        return false;
    }
    int error = MPI_Mrecv(mpi->data, count, MPI_BYTE, &found, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS)
        return fail(mpi, "MPI_Mrecv", error);
    *data = mpi->data;
    *size = (size_t)count;
    return forget_sent(mpi);
}

static const char *why(void *user) {
    const struct mpi *mpi = user;
    return mpi->message;
}

static void end_all(void *user, int status) {
    const struct mpi *mpi = user;
    MPI_Abort(mpi->ranks, status);
}

static void close_ranks(void *user) {
    struct mpi *mpi = user;
    while (mpi->sent) {
        struct sent *sent = mpi->sent;
        mpi->sent = sent->next;
        MPI_Wait(&sent->request, MPI_STATUS_IGNORE);
        free(sent);
    }
    MPI_Comm_free(&mpi->ranks);
    if (mpi->begun)
        MPI_Finalize();
    free(mpi->data);
    free(mpi);
}

static double timeout(void) {
    const char *text = getenv("BHEMU_MPI_TIMEOUT");
    double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : TIMEOUT;
}

bool bhemu_mpi_open(struct bh_transport *transport, char *message, size_t size) {
    int begun, rank, ranks, level;
    struct mpi *mpi = calloc(1, sizeof *mpi);
    if (!mpi) {
        snprintf(message, size, "no memory for MPI");
        return false;
    }
    mpi->timeout = timeout();
    MPI_Initialized(&begun);
    mpi->begun = !begun;
    int error = begun ? MPI_SUCCESS : MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_dup(MPI_COMM_WORLD, &mpi->ranks);
    if (error != MPI_SUCCESS) {
        (void)fail(mpi, "MPI", error);
        snprintf(message, size, "%s", mpi->message);
        free(mpi);
        return false;
    }
    MPI_Comm_set_errhandler(mpi->ranks, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi->ranks, &rank);
    MPI_Comm_size(mpi->ranks, &ranks);
    *transport = (struct bh_transport){ .rank = (unsigned)rank,
                                        .ranks = (unsigned)ranks,
                                        .user = mpi,
                                        .send = send_message,
                                        .receive = receive_message,
                                        .message = why,
                                        .abort = end_all,
                                        .close = close_ranks };
    return true;
}
