/* Fuzzes the server for gdb: any bytes are read as packets, and every packet, even with a wrong checksum, is handled by
 * a session with a chip that stands still; what goes out can be read again as what it was. Commands that let the run go
 * on are only noted. */
#include <stdlib.h>
#include <string.h>

#include "gdb/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct gdb *session;

static struct gdb *make(void) {
    const struct gdb_owner owner = { 0 };
    const uint32_t word[] = { 0x00150513, 0xFFDFF06F };
    struct bh_config config;
    char message[100];
    bh_chip *chip;
    bh_config_init(&config);
    config.threads = 1;
    struct gdb *gdb = gdb_open("0", &owner, message, sizeof message);
    if (!gdb || bh_create(&config, &chip, NULL, 0) != BH_OK)
        exit(3);
    if (bh_load_raw(chip, (struct bh_xy){ 1, 2 }, BH_BRISC, 0, word, sizeof word) != BH_OK ||
        bh_release(chip, (struct bh_xy){ 1, 2 }, 1) != BH_OK || run_attach(gdb, chip, NULL) != BH_OK)
        exit(3);
    return gdb;
}

/* A packet that is made and read again is the same. */
static void check_way_back(const char *data, size_t size) {
    static struct packet_reader reader;
    char *packet = malloc(2 * size + 4);
    if (!packet)
        exit(3);
    size_t length = packet_make(data, size, packet);
    memset(&reader, 0, sizeof reader);
    for (size_t i = 0; i < length; i++) {
        enum packet_result expected = i + 1 < length ? PACKET_MORE : PACKET_READY;
        if (packet_take(&reader, (uint8_t)packet[i]) != expected)
            abort();
    }
    if (reader.size != size || memcmp(reader.data, data, size) != 0)
        abort();
    free(packet);
}

/* monitor commands that name a file are left out: they would write it. */
static bool names_file(const char *packet) {
    return strncmp(packet, "qRcmd,7472", 10) == 0 && strlen(packet) > 6 + 2 * strlen("trace off");
}

static void check_session(const struct gdb *gdb) {
    unsigned tile = session_tile(gdb, gdb->general.tile);
    if (tile >= gdb->tile_count || !session_core_exists(gdb, tile, gdb->general.core) || gdb->point_count > POINTS_MAX)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!session)
        session = make();
    memset(&session->in, 0, sizeof session->in);
    for (size_t i = 0; i < size; i++) {
        enum packet_result result = packet_take(&session->in, data[i]);
        if ((result != PACKET_READY && result != PACKET_BAD) || names_file(session->in.data))
            continue;
        check_way_back(session->in.data, session->in.size);
        (void)session_command(session, session->in.data, session->in.size);
        check_session(session);
    }
    points_clear(session);
    session->stepping = session->killed = session->missed = false;
    session->back = BACK_NONE;
    return 0;
}
