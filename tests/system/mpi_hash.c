/* A system over MPI, as a client of the installed headers: prints hash and counts, which are those of one process.
 *
 *     mpirun -n N mpi_hash [ranks]
 */
#include <bhemu_mpi.h>
#include <stdio.h>
#include <string.h>

static bool check(bh_system *system, bh_status status, unsigned rank) {
    if (status != BH_OK)
        fprintf(stderr, "rank %u: %s\n", rank, bh_system_message(system));
    return status == BH_OK;
}

int main(int argc, char **argv) {
    const struct bh_xy tile = { 24, 25 };
    struct bh_transport transport = { 0 };
    char message[200];
    bh_system *system;
    bool several = argc > 1 && strcmp(argv[1], "ranks") == 0;

    if (several && !bhemu_mpi_open(&transport, message, sizeof message)) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    if (bh_system_create(&system) != BH_OK || bh_system_add(system, BH_SYSTEM_QUIETBOX) != BH_OK)
        return 1;
    if (several && !check(system, bh_system_ranks(system, &transport), transport.rank))
        return 1;
    for (uint32_t i = 0; i < 4; i++) { /* every chip sends to the other end of its port 4 */
        const uint32_t words[4] = { i, 2 * i, 3 * i, 4 * i }, from = 0x10000, to = 0x20000, size = 16, go = 2;
        bh_chip *chip = bh_system_chip(system, i);
        bh_write(chip, tile, from, words, sizeof words); /* an error for the chip of another rank, which does this */
        bh_write(chip, tile, 0xFFB90014, &from, 4);
        bh_write(chip, tile, 0xFFB9001C, &to, 4);
        bh_write(chip, tile, 0xFFB90018, &size, 4);
        bh_write(chip, tile, 0xFFB90004, &go, 4);
    }
    bool ok = check(system, bh_system_run(system, 5000, 0, NULL), transport.rank);
    ok = ok && check(system, bh_system_cut(system, 0), transport.rank);
    ok = ok && check(system, bh_system_run(system, 700, 0, NULL), transport.rank);
    ok = ok && check(system, bh_system_join(system, 0), transport.rank);
    ok = ok && check(system, bh_system_run(system, 5000, BH_RUN_STOP_ON_IDLE, NULL), transport.rank);
    uint64_t hash = bh_system_hash(system);
    struct bh_link_stats stats;
    bh_system_link_stats(system, 0, &stats);
    if (transport.rank == 0)
        printf("hash %016llx, %llu frames\n", (unsigned long long)hash, (unsigned long long)stats.frames[0]);
    bh_system_destroy(system);
    if (several)
        transport.close(transport.user);
    return ok && hash ? 0 : 1;
}
