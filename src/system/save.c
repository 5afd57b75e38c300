/* A system as bytes: its cables with the frames on them, and its chips (chip/save.h).
 *
 * The bytes are a head, the shape of the system, both ends of each cable, and each chip with its size in front of it. A
 * system is loaded into one with the same chips and cables. A load reads everything twice: first to check it, chips
 * included, then into the system, so that a file that is refused changes nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "chip/member.h"
#include "chip/save.h"
#include "system/ports.h"
#include "system/ranks.h"

enum { VERSION = 2 };
/* Times are bounded, so that sums with them do not overflow. */
#define TIME_MOST (UINT64_C(1) << 52)

struct head {
    char magic[8];
    uint64_t version;
    uint64_t size;     /* bytes behind the head */
    uint64_t checksum; /* of these bytes */
};

/* ---- Writing ------------------------------------------------------------------------------------------------- */

static void put_link(struct state_out *out, const struct bh_link *link) {
    const uint64_t word[] = { link->chip[0], link->port[0], link->chip[1], link->port[1], link->latency, link->rate };
    state_put(out, word, sizeof word);
}

/* Writes a chip behind its size. */
static bh_status put_chip(struct state_out *out, bh_system *system, unsigned chip) {
    size_t at = out->count;
    state_put_u64(out, 0);
    if (out->failed)
        return system_fail(system, BH_ERR_MEMORY, "no memory left for the saved state");
    bh_status status = save_chip(system->chip[chip], out);
    if (status != BH_OK)
        return system_fail(system, status, "chip %u: %s", chip, bh_message(system->chip[chip]));
    uint64_t size = out->count - at - sizeof size;
    memcpy(out->bytes + at, &size, sizeof size);
    return BH_OK;
}

static bh_status put_system(struct state_out *out, bh_system *system) {
    struct head head = { .magic = SAVE_SYSTEM_MAGIC, .version = VERSION };
    size_t start = out->count;
    bh_status status = BH_OK;
    for (unsigned i = 0; i < system->chip_count; i++)
        if (save_is_broken(system->chip[i]))
            return system_fail(system, BH_ERR_STATE, "chip %u has an internal error, and is not saved", i);
    state_put(out, &head, sizeof head);
    state_put_u64(out, system->chip_count);
    state_put_u64(out, system->link_count);
    state_put_u64(out, system->time);
    for (unsigned i = 0; i < system->link_count; i++) {
        put_link(out, &system->cable[i]->link);
        for (unsigned end = 0; end < 2; end++)
            ports_put(out, &system->cable[i]->end[end]);
    }
    for (unsigned i = 0; i < system->chip_count && status == BH_OK; i++)
        status = put_chip(out, system, i);
    if (status != BH_OK)
        return status;
    if (out->failed)
        return system_fail(system, BH_ERR_MEMORY, "no memory left for the saved state");
    head.size = out->count - start - sizeof head;
    head.checksum = mix_bytes(VERSION, out->bytes + start + sizeof head, head.size);
    memcpy(out->bytes + start, &head, sizeof head);
    return BH_OK;
}

/* ---- Reading ------------------------------------------------------------------------------------------------- */

/* The bytes of a system, and what they say. The ports have frames and records of their own until they move. */
struct visit {
    struct state_in in;
    bh_system *system;
    struct eth_port port[BH_SYSTEM_LINKS][2];
    struct save_bytes chip[BH_SYSTEM_CHIPS];
    uint64_t time;
    bool no_memory;
};

static bool left(const struct visit *v, uint64_t size) {
    return !v->in.failed && size <= (uint64_t)(v->in.end - v->in.at);
}

/* Reads a port like this one. */
static void get_port(struct visit *v, struct eth_port *port, const struct eth_port *own) {
    *port = (struct eth_port){ .latency = own->latency, .rate = own->rate, .peer = own->peer };
    v->no_memory = !ports_get(&v->in, port) && !v->in.failed;
}

static bool get_link(struct visit *v, const struct bh_link *own) {
    const uint64_t word[] = { own->chip[0], own->port[0], own->chip[1], own->port[1], own->latency, own->rate };
    bool same = true;
    for (unsigned i = 0; i < sizeof word / sizeof *word; i++)
        same = state_get_u64(&v->in) == word[i] && same;
    return same;
}

static bh_status bad(const bh_system *system, const char *why) {
    return system_fail(system, BH_ERR_ARGUMENT, "%s", why);
}

/* A chip owns its bytes when it is loaded: each gets its own. */
static bh_status get_chip(struct visit *v, unsigned chip) {
    uint64_t size = state_get_u64(&v->in);
    if (!left(v, size) || !size)
        return bad(v->system, "the state does not fit together");
    if (!save_bytes_make(&v->chip[chip], size))
        return system_fail(v->system, BH_ERR_MEMORY, "no memory left for the saved state");
    state_get(&v->in, v->chip[chip].at, size);
    uint64_t time = 0;
    bh_status status = save_check(v->system->chip[chip], &v->chip[chip], &time);
    if (status != BH_OK)
        return system_fail(v->system, status, "chip %u: %s", chip, bh_message(v->system->chip[chip]));
    return time == v->time ? BH_OK : bad(v->system, "a chip has another time than its system");
}

static bh_status get_cables(struct visit *v) {
    const bh_system *system = v->system;
    for (unsigned i = 0; i < system->link_count; i++) {
        const struct cable *cable = system->cable[i];
        if (!get_link(v, &cable->link))
            return v->in.failed ? bad(system, "the state does not fit together")
                                : system_fail(system, BH_ERR_STATE, "saved from a system with another link %u", i);
        for (unsigned end = 0; end < 2 && !v->in.failed && !v->no_memory; end++)
            get_port(v, &v->port[i][end], &cable->end[end]);
        v->in.failed = v->in.failed || v->port[i][0].up != v->port[i][1].up;
        if (v->no_memory)
            return system_fail(system, BH_ERR_MEMORY, "no memory left for the saved state");
        if (v->in.failed)
            return system_fail(system, BH_ERR_ARGUMENT, "link %u has an impossible value", i);
    }
    return BH_OK;
}

static bh_status check_head(const bh_system *system, const struct save_bytes *bytes) {
    struct head head;
    if (bytes->size < sizeof head)
        return bad(system, "no saved system of bhemu");
    memcpy(&head, bytes->at, sizeof head);
    if (memcmp(head.magic, (const char[8])SAVE_SYSTEM_MAGIC, sizeof head.magic) != 0)
        return bad(system, save_is_chip(bytes->at, bytes->size) ? "saved from a single chip, not from a system"
                                                                : "no saved system of bhemu");
    if (head.version != VERSION)
        return bad(system, "saved by another version of bhemu");
    if (head.size != bytes->size - sizeof head)
        return bad(system, "cut off, or with something behind its end");
    if (head.checksum != mix_bytes(VERSION, bytes->at + sizeof head, head.size))
        return bad(system, "damaged: its checksum is wrong");
    return BH_OK;
}

static bh_status check(struct visit *v, const struct save_bytes *bytes) {
    bh_system *system = v->system;
    bh_status status = check_head(system, bytes);
    if (status != BH_OK)
        return status;
    uint64_t chips = state_get_u64(&v->in), links = state_get_u64(&v->in);
    v->time = state_get_u64(&v->in);
    if (v->in.failed || v->time > TIME_MOST)
        return bad(system, "the state does not fit together");
    if (chips != system->chip_count || links != system->link_count)
        return system_fail(system, BH_ERR_STATE, "saved from a system with %llu chips and %llu links, not %u and %u",
                           (unsigned long long)chips, (unsigned long long)links, system->chip_count,
                           system->link_count);
    status = get_cables(v);
    for (unsigned i = 0; i < system->chip_count && status == BH_OK; i++)
        status = get_chip(v, i);
    if (status == BH_OK && v->in.at != v->in.end)
        return bad(system, "something is behind its end");
    return status;
}

/* ---- Loading ------------------------------------------------------------------------------------------------- */

/* Nothing of this can fail, but for memory: then all chips are as after a reset, and the cables are empty. */
static bh_status load(struct visit *v) {
    bh_system *system = v->system;
    bh_status status = BH_OK;
    for (unsigned i = 0; i < system->link_count; i++) {
        struct cable *cable = system->cable[i];
        cable->up = v->port[i][0].up;
        for (unsigned end = 0; end < 2; end++) {
            eth_port_clear(&cable->end[end]);
            cable->end[end] = v->port[i][end];
            v->port[i][end] = (struct eth_port){ 0 };
        }
    }
    system->time = v->time;
    for (unsigned i = 0; i < system->chip_count; i++) {
        bh_status loaded = save_restore(system->chip[i], &v->chip[i]);
        v->chip[i] = (struct save_bytes){ 0 };
        if (loaded != BH_OK && status == BH_OK)
            status = system_fail(system, loaded, "chip %u: %s", i, bh_message(system->chip[i]));
    }
    return status;
}

static bh_status restore(bh_system *system, const struct save_bytes *bytes) {
    struct visit *v = calloc(1, sizeof *v);
    if (!v)
        return system_fail(system, BH_ERR_MEMORY, "no memory left for the saved state");
    v->in = (struct state_in){ .at = bytes->at + sizeof(struct head), .end = bytes->at + bytes->size };
    v->system = system;
    bh_status status = check(v, bytes);
    if (status == BH_OK)
        status = load(v);
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++)
            eth_port_clear(&v->port[i][end]);
    for (unsigned i = 0; i < system->chip_count; i++)
        if (v->chip[i].at)
            save_bytes_free(&v->chip[i]);
    free(v);
    return status;
}

/* ---- The library's functions ----------------------------------------------------------------------------------- */

/* Prefixes the message with the end of the file's name. */
static bh_status name_file(const bh_system *system, bh_status status, const char *path) {
    char why[SYSTEM_MESSAGE_SIZE];
    const char *end = save_path_end(path, SYSTEM_MESSAGE_SIZE / 2);
    if (status == BH_OK)
        return status;
    memcpy(why, system->message, sizeof why);
    return system_fail(system, status, "%s%s: %s", end == path ? "" : "...", end, why);
}

static bh_status may(const bh_system *system) {
    if (system->in_run)
        return system_fail(system, BH_ERR_STATE, "not while the system runs");
    if (system->ranks)
        return system_fail(system, BH_ERR_STATE, "a system whose chips are divided among ranks is not saved or loaded");
    return BH_OK;
}

bh_status bh_system_save(bh_system *system, const char *path) {
    struct state_out out = { 0 };
    if (!system || !path)
        return system_null(system, "path");
    bh_status status = may(system);
    if (status != BH_OK)
        return status;
    status = put_system(&out, system);
    if (status == BH_OK && !save_write_file(path, &out))
        status = system_fail(system, BH_ERR_FILE, "cannot be written: %s", strerror(errno));
    free(out.bytes);
    return name_file(system, status, path);
}

bh_status bh_system_load(bh_system *system, const char *path) {
    struct save_bytes bytes;
    if (!system || !path)
        return system_null(system, "path");
    bh_status status = may(system);
    if (status != BH_OK)
        return status;
    const char *fault = save_read_file(path, &bytes);
    if (fault)
        return name_file(system, system_fail(system, BH_ERR_FILE, "cannot be read: %s", fault), path);
    status = restore(system, &bytes);
    save_bytes_free(&bytes);
    return name_file(system, status, path);
}

bh_status bh_system_snapshot_take(bh_system *system, bh_snapshot **snapshot) {
    struct state_out out = { 0 };
    const bh_snapshot head = { 0 };
    if (!system || !snapshot)
        return system_null(system, "snapshot");
    *snapshot = NULL;
    bh_status status = may(system);
    if (status != BH_OK)
        return status;
    state_put(&out, &head, sizeof head);
    status = put_system(&out, system);
    if (status != BH_OK) {
        free(out.bytes);
        return status;
    }
    void *smaller = realloc(out.bytes, out.count);
    *snapshot = smaller ? smaller : (void *)out.bytes;
    (*snapshot)->size = out.count - sizeof head;
    return BH_OK;
}

bh_status bh_system_snapshot_restore(bh_system *system, const bh_snapshot *snapshot) {
    if (!system || !snapshot)
        return system_null(system, "snapshot");
    bh_status status = may(system);
    const struct save_bytes bytes = { .at = (uint8_t *)(uintptr_t)snapshot->bytes, .size = snapshot->size };
    return status == BH_OK ? restore(system, &bytes) : status;
}
