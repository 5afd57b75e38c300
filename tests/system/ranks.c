/* A system over several processes: children of the test, with pipes between them. Every rank gets the hash, the counts
 * and the end of a run that one process gets, and mistakes fail all ranks with the same message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/random.h"
#include "system/talk.h"

enum { RANKS = 4, PACKETS = 40, TEXT = 400 };

/* ---- A transport: a socket for each pair of ranks ---------------------------------------------------------------- */

struct net {
    int socket[RANKS][RANKS]; /* by rank and other rank */
};

struct end {
    unsigned rank;
    const struct net *net;
    uint8_t *data;
    size_t size;
};

static bool write_all(int fd, const void *data, size_t size) {
    const uint8_t *at = data;
    for (ssize_t done; size; at += done, size -= (size_t)done)
        if ((done = send(fd, at, size, MSG_NOSIGNAL)) <= 0)
            return false;
    return true;
}

static bool read_all(int fd, void *data, size_t size) {
    uint8_t *at = data;
    for (ssize_t done; size; at += done, size -= (size_t)done)
        if ((done = read(fd, at, size)) <= 0)
            return false;
    return true;
}

static size_t lacking; /* bytes at the end of messages that this rank does not send */

/* A rank does not wait for the other: the message has to fit into the socket. */
static bool send_to(void *user, unsigned to, const void *data, size_t size) {
    const struct end *end = user;
    int fd = end->net->socket[end->rank][to];
    size -= lacking;
    return size < 100000 && write_all(fd, &size, sizeof size) && write_all(fd, data, size);
}

static bool receive_from(void *user, unsigned from, const void **data, size_t *size) {
    struct end *end = user;
    int fd = end->net->socket[end->rank][from];
    free(end->data);
    end->data = NULL;
    if (!read_all(fd, &end->size, sizeof end->size) || !(end->data = malloc(end->size + 1)) ||
        !read_all(fd, end->data, end->size))
        return false;
    *data = end->data;
    *size = end->size;
    return true;
}

static const char *why(void *user) {
    (void)user;
    return "the other process is gone";
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------- */

/* What a rank has found out, in memory that the test shares. */
struct found {
    bh_status status;
    uint64_t hash;
    struct bh_system_stop stop;
    struct bh_link_stats stats[16];
    unsigned chips, events;
    char message[TEXT];
    bool done;
};

typedef void play(bh_system *system, const struct bh_transport *transport, unsigned variant, struct found *found);

/* Runs a play in so many processes, or with ranks 0 in this one. */
static struct found *act(play *part, unsigned ranks, unsigned variant) {
    struct found *found = mmap(NULL, RANKS * sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct net net;
    assert_true(found != MAP_FAILED);
    for (unsigned a = 0; a < ranks; a++)
        for (unsigned b = a + 1; b < ranks; b++) {
            int pair[2], size = 1 << 20;
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
            for (unsigned i = 0; i < 2; i++)
                setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
            net.socket[a][b] = pair[0];
            net.socket[b][a] = pair[1];
        }
    for (unsigned i = 0; i < (ranks ? ranks : 1); i++) {
        bh_system *system;
        struct end end = { .rank = i, .net = &net };
        const struct bh_transport transport = {
            .rank = i, .ranks = ranks, .user = &end, .send = send_to, .receive = receive_from, .message = why
        };
        if (ranks && fork())
            continue;
        for (unsigned a = 0; a < ranks; a++) /* a rank that dies closes its sockets */
            for (unsigned b = 0; b < ranks; b++)
                if (a != b && a != i)
                    close(net.socket[a][b]);
        if (bh_system_create(&system) != BH_OK)
            _exit(1);
        part(system, ranks ? &transport : NULL, variant, &found[i]);
        snprintf(found[i].message, TEXT, "%s", bh_system_message(system));
        found[i].done = true;
        bh_system_destroy(system);
        free(end.data);
        if (ranks)
            _exit(0);
    }
    for (unsigned a = 0; a < ranks; a++)
        for (unsigned b = 0; b < ranks; b++)
            if (a != b)
                close(net.socket[a][b]);
    while (ranks && wait(NULL) > 0)
        ;
    return found;
}

static void drop(struct found *found) {
    munmap(found, RANKS * sizeof *found);
}

/* ---- The same as in one process ---------------------------------------------------------------------------------- */

static void on_link(void *user, bh_system *system, const struct bh_link_event *event) {
    (void)system, (void)event;
    ++*(unsigned *)user;
}

static void make_random(bh_system *system, uint64_t *random, unsigned chips, unsigned *links) {
    struct bh_config config;
    bh_config_init(&config);
    for (unsigned i = 0; i < chips; i++) {
        config.number = config.serial = i;
        bh_system_add_chip(system, &config, NULL);
    }
    for (*links = 0; *links < 2 * chips && *links < 16;) {
        struct bh_link link = { .latency = 100 + random_below(random, 500), .rate = 50 + random_below(random, 400) };
        for (unsigned end = 0; end < 2; end++) {
            link.chip[end] = random_below(random, chips);
            link.port[end] = random_below(random, 12);
        }
        *links += bh_system_add_link(system, &link, NULL) == BH_OK;
    }
}

static void start_talk(bh_system *system, uint64_t *random, unsigned links) {
    for (unsigned i = 0; i < links; i++)
        for (unsigned end = 0; end < 2; end++) {
            struct bh_link link;
            uint32_t seed = 1 + (uint32_t)(random_next(random) >> 40);
            unsigned ahead = random_below(random, 9);
            bh_system_link_at(system, i, &link);
            if (bh_system_chip(system, link.chip[end]))
                talk_start(bh_system_chip(system, link.chip[end]), link.port[end], PACKETS, seed, ahead);
        }
}

/* Random cables, under load; one is cut, a chip is reset, and runs are divided. */
static void talk(bh_system *system, const struct bh_transport *transport, unsigned variant, struct found *found) {
    uint64_t random = 77 + variant;
    unsigned links, chips = 4 + variant % 3;
    make_random(system, &random, chips, &links);
    bh_system_on_link(system, on_link, &found->events);
    if (transport && (found->status = bh_system_ranks(system, transport)) != BH_OK)
        return;
    start_talk(system, &random, links);
    for (unsigned i = 0; i < chips; i++)
        found->chips += bh_system_chip(system, i) != NULL;
    unsigned cable = random_below(&random, links);
    found->status = bh_system_run(system, 1000 + random_below(&random, 3000), 0, NULL);
    found->status |= bh_system_cut(system, cable);
    found->status |= bh_system_run(system, 1000 + random_below(&random, 2000), 0, NULL);
    found->status |= bh_system_join(system, cable);
    found->status |= bh_system_run(system, 777, 0, NULL);
    if (variant % 2)
        found->status |= bh_system_reset_chip(system, chips - 1);
    found->status |= bh_system_run(system, 60000, BH_RUN_STOP_ON_IDLE, &found->stop);
    for (unsigned i = 0; i < links; i++)
        bh_system_link_stats(system, i, &found->stats[i]);
    found->hash = bh_system_hash(system);
}

static void ranks_change_nothing(void **state) {
    const char *asked = getenv("SOAK"); /* as in soak.c */
    unsigned variants = asked ? (unsigned)strtoul(asked, NULL, 0) : 6;
    (void)state;
    for (unsigned variant = 0; variant < variants; variant++) {
        struct found *one = act(talk, 0, variant);
        assert_int_equal(one->status, BH_OK);
        assert_true(one->events >= 2 && one->hash && one->stats[0].frames[0]);
        for (unsigned ranks = 1; ranks <= RANKS; ranks++) {
            struct found *found = act(talk, ranks, variant);
            unsigned chips = 0;
            for (unsigned i = 0; i < ranks; i++) {
                if (found[i].status != BH_OK)
                    fail_msg("rank %u of %u: %s", i, ranks, found[i].message);
                assert_true(found[i].done);
                assert_int_equal(found[i].hash, one->hash);
                assert_memory_equal(found[i].stats, one->stats, sizeof one->stats);
                assert_int_equal(found[i].events, one->events);
                assert_int_equal(found[i].stop.reason, one->stop.reason);
                assert_int_equal(found[i].stop.cycle, one->stop.cycle);
                assert_int_equal(found[i].stop.waiting, one->stop.waiting);
                chips += found[i].chips;
            }
            assert_int_equal(chips, one->chips);
            drop(found);
        }
        drop(one);
    }
}

/* A core of chip 1 or 3 faults, or waits for what never comes. */
static void stumble(bh_system *system, const struct bh_transport *transport, unsigned variant, struct found *found) {
    const struct bh_xy tile = { 1, 2 };
    const uint32_t wait[] = { rv_lui(10, 0xFFEC1000), rv_lw(11, 0, 10), rv_jal(0, 0) }; /* a mailbox of T0 */
    const uint32_t bad[] = { rv_addi(5, 0, 1), rv_b(BEQ, 0, 0, 4), 0xFFFFFFFF };
    bh_system_add(system, BH_SYSTEM_QUIETBOX);
    if (transport && (found->status = bh_system_ranks(system, transport)) != BH_OK)
        return;
    for (unsigned chip = 1; chip < 4; chip += 2)
        if (bh_system_chip(system, chip))
            start_at(bh_system_chip(system, chip), tile, BH_BRISC, TALK_CODE_0, variant ? bad : wait, 12);
    found->status = bh_system_run(system, 100000, BH_RUN_STOP_ON_IDLE | BH_RUN_STOP_ON_FAULT, &found->stop);
    found->hash = bh_system_hash(system);
}

static void ends_are_those_of_one_process(void **state) {
    (void)state;
    for (unsigned variant = 0; variant < 2; variant++) {
        struct found *one = act(stumble, 0, variant);
        assert_int_equal(one->stop.reason, variant ? BH_STOP_FAULT : BH_STOP_DEADLOCK);
        assert_int_equal(one->stop.chip, 1);
        for (unsigned ranks = 2; ranks <= RANKS; ranks++) {
            struct found *found = act(stumble, ranks, variant);
            for (unsigned i = 0; i < ranks; i++) {
                assert_int_equal(found[i].status, BH_OK);
                assert_int_equal(found[i].hash, one->hash);
                assert_int_equal(found[i].stop.reason, one->stop.reason);
                assert_int_equal(found[i].stop.chip, one->stop.chip);
                assert_int_equal(found[i].stop.cycle, one->stop.cycle);
                assert_string_equal(found[i].stop.fault.text, one->stop.fault.text);
            }
            drop(found);
        }
        drop(one);
    }
}

/* ---- Mistakes ---------------------------------------------------------------------------------------------------- */

enum mistake {
    MORE_RANKS_THAN_CHIPS,
    OTHER_MACHINE,
    OTHER_TIMING,
    OTHER_LINK,
    OTHER_CYCLES,
    OTHER_CALL,
    DIES,
    CUTS_SHORT,
    ADDS_A_CHIP,
    MISTAKES
};

static void err(bh_system *system, const struct bh_transport *transport, unsigned mistake, struct found *found) {
    bool odd = transport->rank == 1;
    struct bh_config config;
    struct bh_link link = { .chip = { 0, 1 }, .port = { 1, odd && mistake == OTHER_LINK ? 2 : 1 } };
    bh_config_init(&config);
    if (odd && mistake == OTHER_TIMING)
        config.timing = BH_TIMING_LOOSE;
    bh_system_defaults(system, &config);
    if (mistake == MORE_RANKS_THAN_CHIPS)
        bh_system_add(system, BH_SYSTEM_P300);
    else
        bh_system_add(system, odd && mistake == OTHER_MACHINE ? BH_SYSTEM_GALAXY : BH_SYSTEM_QUIETBOX);
    if (mistake == OTHER_LINK)
        found->status = bh_system_add_link(system, &link, NULL);
    found->status = bh_system_ranks(system, transport);
    if (found->status != BH_OK)
        return;
    if (odd && mistake == DIES)
        _exit(3);
    lacking = odd && mistake == CUTS_SHORT;
    if (mistake == ADDS_A_CHIP) {
        found->status = bh_system_add(system, BH_SYSTEM_P150);
        return;
    }
    if (odd && mistake == OTHER_CALL)
        found->hash = bh_system_hash(system);
    else
        found->status = bh_system_run(system, odd && mistake == OTHER_CYCLES ? 1001 : 1000, 0, NULL);
    if (bh_system_hash(system) != 0 || bh_system_run(system, 1, 0, NULL) == BH_OK)
        found->status = BH_OK; /* nothing works any more */
}

static void mistakes_fail_all_ranks(void **state) {
    static const char *const text[] = {
        [MORE_RANKS_THAN_CHIPS] = "there are more ranks (4) than chips (2)",
        [OTHER_MACHINE] = "rank 1 has 32 chips and 140 links, but rank 0 4 and 16",
        [OTHER_TIMING] = "rank 1 has other chips than rank 0: boards, harvesting or timing differ",
        [OTHER_LINK] = "rank 1 has other links than rank 0",
        [OTHER_CYCLES] = "bh_system_run: rank 1 has 1001, 0, but rank 0 1000, 0: all ranks make the same calls",
        [OTHER_CALL] = "rank 1 is in bh_system_hash, but rank 0 in bh_system_run: all ranks make the same calls",
        [DIES] = "rank 1: the other process is gone",
        [CUTS_SHORT] = "rank 1 is no bhemu of this version, or runs on another kind of host",
        [ADDS_A_CHIP] = "the chips have been divided among ranks: none can be added",
    };
    (void)state;
    for (unsigned mistake = 0; mistake < MISTAKES; mistake++) {
        struct found *found = act(err, RANKS, mistake);
        for (unsigned i = 0; i < RANKS; i++) {
            if ((mistake == DIES || mistake == CUTS_SHORT) && i == 1)
                continue;
            assert_true(found[i].done);
            assert_true(found[i].status != BH_OK || (mistake == OTHER_CALL && i == 1 && !found[i].hash));
            if (!strstr(found[i].message, mistake == DIES ? "the other process is gone" : text[mistake]))
                fail_msg("mistake %u, rank %u: %s", mistake, i, found[i].message);
        }
        drop(found);
    }
}

static void transports_are_checked(void **state) {
    bh_system *system;
    struct bh_transport transport = { .rank = 2, .ranks = 2, .send = send_to, .receive = receive_from };
    (void)state;
    assert_int_equal(bh_system_create(&system), BH_OK);
    assert_int_equal(bh_system_ranks(NULL, &transport), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_ranks(system, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_ranks(system, &transport), BH_ERR_ARGUMENT);
    assert_string_equal(bh_system_message(system), "there is no rank 2 of 2");
    transport.ranks = 1000;
    assert_int_equal(bh_system_ranks(system, &transport), BH_ERR_ARGUMENT);
    assert_string_equal(bh_system_message(system), "1000 ranks: at most 256 are possible");
    transport.send = NULL;
    assert_int_equal(bh_system_ranks(system, &transport), BH_ERR_ARGUMENT);
    assert_int_equal(bh_system_rank_of(system, 0), 0);
    assert_int_equal(bh_system_add(system, BH_SYSTEM_P150), BH_OK);
    assert_non_null(bh_system_chip(system, 0));
    bh_system_destroy(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_change_nothing),
        cmocka_unit_test(ends_are_those_of_one_process),
        cmocka_unit_test(mistakes_fail_all_ranks),
        cmocka_unit_test(transports_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
