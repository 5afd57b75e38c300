/* Chips and cables of a system: see system.h. */
#include "system/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "base/list.h"
#include "chip/member.h"
#include "chip/pool.h"
#include "host/host.h"
#include "system/crew.h"
#include "system/ranks.h"

bh_status system_fail(const bh_system *system, bh_status status, const char *format, ...) {
    bh_system *owner = (bh_system *)(uintptr_t)system;
    va_list args;
    va_start(args, format);
    line_put_list(owner->message, sizeof owner->message, format, args);
    va_end(args);
    return status;
}

bh_status system_null(const bh_system *system, const char *what) {
    return system ? system_fail(system, BH_ERR_ARGUMENT, "%s is NULL", what) : BH_ERR_ARGUMENT;
}

static bh_status busy(const bh_system *system) {
    return system_fail(system, BH_ERR_STATE, "not while the system runs");
}

static bh_status divided(const bh_system *system) {
    return system_fail(system, BH_ERR_STATE, "the chips have been divided among ranks: none can be added");
}

/* ---- Life ------------------------------------------------------------------------------------------------- */

/* Without cables, chips need no exchange; the quantum bounds how late a stop is. */
enum { QUANTUM_WITHOUT_LINKS = 4096 };

bh_status bh_system_create(bh_system **system) {
    if (!system)
        return BH_ERR_ARGUMENT;
    *system = calloc(1, sizeof **system);
    if (!*system)
        return BH_ERR_MEMORY;
    (*system)->quantum = QUANTUM_WITHOUT_LINKS;
    (*system)->threads = pool_default_threads();
    return BH_OK;
}

void bh_system_destroy(bh_system *system) {
    if (!system)
        return;
    crew_destroy(system->crew);
    ranks_free(system->ranks);
    system_shrink(system, 0, 0);
    free(system->task);
    free(system);
}

const char *bh_system_message(const bh_system *system) {
    return system ? system->message : "";
}

/* Ends the host threads. The next run creates as many as are of use then. */
static void end_crew(bh_system *system) {
    crew_destroy(system->crew);
    system->crew = NULL;
}

bh_status bh_system_threads(bh_system *system, unsigned threads) {
    if (!system)
        return BH_ERR_ARGUMENT;
    if (system->in_run)
        return busy(system);
    if (threads > BH_THREADS_MAX)
        return system_fail(system, BH_ERR_ARGUMENT, "threads: more than %d", BH_THREADS_MAX);
    end_crew(system);
    system->threads = threads ? threads : pool_default_threads();
    return BH_OK;
}

bh_status bh_system_defaults(bh_system *system, const struct bh_config *config) {
    if (!system || !config)
        return system_null(system, "config");
    system->defaults = *config;
    return BH_OK;
}

void system_config(const bh_system *system, struct bh_config *config, enum bh_board board) {
    const struct bh_config *defaults = &system->defaults;
    bh_config_board(config, board);
    config->timing = defaults->timing;
    config->skew = defaults->skew;
    config->epoch = defaults->epoch;
    config->threads = defaults->threads;
    config->debug_flaws = defaults->debug_flaws;
    config->on_fault = defaults->on_fault;
    config->on_warning = defaults->on_warning;
    config->host_read = defaults->host_read;
    config->host_write = defaults->host_write;
    config->user = defaults->user;
}

bh_status bh_system_on_link(bh_system *system,
                            void (*on_link)(void *user, bh_system *system, const struct bh_link_event *event),
                            void *user) {
    if (!system)
        return BH_ERR_ARGUMENT;
    system->on_link = on_link;
    system->user = user;
    return BH_OK;
}

/* ---- Chips -------------------------------------------------------------------------------------------------- */

bh_status bh_system_add_chip(bh_system *system, const struct bh_config *config, unsigned *chip) {
    char message[SYSTEM_MESSAGE_SIZE];
    if (!system || !config)
        return system_null(system, "config");
    if (system->in_run)
        return busy(system);
    if (system->ranks)
        return divided(system);
    if (system->chip_count == BH_SYSTEM_CHIPS)
        return system_fail(system, BH_ERR_ARGUMENT, "a system has at most %d chips", BH_SYSTEM_CHIPS);
    struct crew_task *task = list_room(system->task, system->chip_count, &system->task_room, sizeof *task);
    if (!task)
        return system_fail(system, BH_ERR_MEMORY, "no memory for a chip");
    system->task = task;
    struct bh_config own = *config;
    own.threads = own.threads ? own.threads : 1;
    bh_chip **made = &system->chip[system->chip_count];
    bh_status status = bh_create(&own, made, message, sizeof message);
    if (status != BH_OK)
        return system_fail(system, status, "chip %u: %s", system->chip_count, message);
    member_init(*made, system->time);
    end_crew(system);
    if (chip)
        *chip = system->chip_count;
    system->chip_count++;
    return BH_OK;
}

unsigned bh_system_chip_count(const bh_system *system) {
    return system ? system->chip_count : 0;
}

bh_chip *bh_system_chip(const bh_system *system, unsigned chip) {
    return system && chip < system->chip_count && ranks_own(system, chip) ? system->chip[chip] : NULL;
}

/* ---- Cables ------------------------------------------------------------------------------------------------- */

/* Returns the cable at a port, or NULL. */
static const struct cable *cable_at(const bh_system *system, unsigned chip, unsigned port) {
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++)
            if (system->cable[i]->link.chip[end] == chip && system->cable[i]->link.port[end] == port)
                return system->cable[i];
    return NULL;
}

static bh_status check_end(const bh_system *system, unsigned chip, unsigned port) {
    if (chip >= system->chip_count)
        return system_fail(system, BH_ERR_ARGUMENT, "link: there is no chip %u, only %u chips", chip,
                           system->chip_count);
    if (!member_has_port(system->chip[chip], port))
        return system_fail(system, BH_ERR_ARGUMENT, "link: chip %u has no Ethernet port %u", chip, port);
    const struct cable *other = cable_at(system, chip, port);
    if (!other)
        return BH_OK;
    unsigned far = other->link.chip[0] == chip && other->link.port[0] == port;
    return system_fail(system, BH_ERR_ARGUMENT, "link: port %u of chip %u already leads to port %u of chip %u", port,
                       chip, other->link.port[far], other->link.chip[far]);
}

static bh_status check_link(const bh_system *system, const struct bh_link *link) {
    for (unsigned end = 0; end < 2; end++) {
        bh_status status = check_end(system, link->chip[end], link->port[end]);
        if (status != BH_OK)
            return status;
    }
    if (link->chip[0] == link->chip[1] && link->port[0] == link->port[1])
        return system_fail(system, BH_ERR_ARGUMENT, "link: both ends are port %u of chip %u", link->port[0],
                           link->chip[0]);
    if (link->latency && link->latency < BH_LINK_LATENCY_MIN)
        return system_fail(system, BH_ERR_ARGUMENT, "link: a latency of %u cycles; at least %d are possible",
                           link->latency, BH_LINK_LATENCY_MIN);
    if (link->latency > 1u << 30 || link->rate > 1u << 20)
        return system_fail(system, BH_ERR_ARGUMENT, "link: latency %u or rate %u is too large", link->latency,
                           link->rate);
    return BH_OK;
}

static void find_quantum(bh_system *system) {
    unsigned shortest = QUANTUM_WITHOUT_LINKS;
    for (unsigned i = 0; i < system->link_count; i++)
        if (system->cable[i]->link.latency < shortest)
            shortest = system->cable[i]->link.latency;
    system->quantum = 1;
    while (2 * system->quantum <= shortest)
        system->quantum *= 2;
}

static void report_link(bh_system *system, unsigned link, bool up, uint64_t lost) {
    const struct bh_link_event event = { link, up, system->time, lost };
    system->in_run = true; /* so that the callback cannot run or change the system */
    if (system->on_link)
        system->on_link(system->user, system, &event);
    system->in_run = false;
}

bh_status bh_system_add_link(bh_system *system, const struct bh_link *link, unsigned *index) {
    if (!system || !link)
        return system_null(system, "link");
    if (system->in_run)
        return busy(system);
    if (system->ranks)
        return divided(system);
    if (system->link_count == BH_SYSTEM_LINKS)
        return system_fail(system, BH_ERR_ARGUMENT, "a system has at most %d links", BH_SYSTEM_LINKS);
    bh_status status = check_link(system, link);
    if (status != BH_OK)
        return status;
    struct cable *cable = calloc(1, sizeof *cable);
    if (!cable)
        return system_fail(system, BH_ERR_MEMORY, "no memory for a link");
    cable->link = *link;
    cable->link.latency = link->latency ? link->latency : ETH_LATENCY;
    cable->link.rate = link->rate ? link->rate : ETH_RATE_GBPS;
    cable->up = true;
    system->cable[system->link_count] = cable;
    for (unsigned end = 0; end < 2; end++) {
        bh_chip *chip = system->chip[link->chip[end]];
        eth_port_init(&cable->end[end], cable->link.latency, cable->link.rate);
        cable->end[end].peer = member_identity(system->chip[link->chip[!end]], link->port[!end]);
        cable->end[end].up = true;
        cable->end[end].trainings = 1;
        member_connect(chip, link->port[end], &cable->end[end]);
        member_link_changed(chip, link->port[end]);
    }
    if (index)
        *index = system->link_count;
    system->link_count++;
    find_quantum(system);
    return BH_OK;
}

void system_shrink(bh_system *system, unsigned chip_count, unsigned link_count) {
    while (system->link_count > link_count) {
        struct cable *cable = system->cable[--system->link_count];
        for (unsigned end = 0; end < 2; end++) {
            member_connect(system->chip[cable->link.chip[end]], cable->link.port[end], NULL);
            eth_port_clear(&cable->end[end]);
        }
        free(cable);
    }
    while (system->chip_count > chip_count)
        bh_destroy(system->chip[--system->chip_count]);
    find_quantum(system);
}

unsigned bh_system_link_count(const bh_system *system) {
    return system ? system->link_count : 0;
}

/* Returns NULL, with the message set, if there is no such link. */
static struct cable *find_cable(const bh_system *system, unsigned link) {
    if (link < system->link_count)
        return system->cable[link];
    (void)system_fail(system, BH_ERR_ARGUMENT, "there is no link %u, only %u links", link, system->link_count);
    return NULL;
}

bh_status bh_system_link_at(const bh_system *system, unsigned link, struct bh_link *result) {
    if (!system || !result)
        return system_null(system, "result");
    const struct cable *cable = find_cable(system, link);
    if (!cable)
        return BH_ERR_ARGUMENT;
    *result = cable->link;
    return BH_OK;
}

bh_status bh_system_link_stats(const bh_system *system, unsigned link, struct bh_link_stats *stats) {
    if (!system || !stats)
        return system_null(system, "stats");
    const struct cable *cable = find_cable(system, link);
    if (!cable)
        return BH_ERR_ARGUMENT;
    *stats = (struct bh_link_stats){ .up = cable->up, .cuts = cable->end[0].cuts };
    for (unsigned end = 0; end < 2; end++) {
        const struct eth_port *port = &cable->end[end], *peer = &cable->end[!end];
        stats->frames[end] = port->sent.frames;
        stats->bytes[end] = port->sent.bytes;
        stats->received[end] = port->received.frames;
        stats->dropped[end] = port->dropped;
        stats->resent[end] = port->resent;
        stats->lost[end] = port->lost;
        stats->in_flight[end] = port->out.count + port->held.count + peer->in.count;
    }
    return BH_OK;
}

/* ---- Links that go down and come up -------------------------------------------------------------------------- */

static struct tile *tile_at(const bh_system *system, const struct cable *cable, unsigned end) {
    return member_eth_tile(system->chip[cable->link.chip[end]], cable->link.port[end]);
}

static void notify_ends(bh_system *system, const struct cable *cable) {
    for (unsigned end = 0; end < 2; end++)
        if (ranks_own(system, cable->link.chip[end]))
            member_link_changed(system->chip[cable->link.chip[end]], cable->link.port[end]);
}

/* Returns the number of lost frames. */
static uint64_t cut(bh_system *system, struct cable *cable) {
    uint64_t lost = 0;
    for (unsigned end = 0; end < 2; end++) {
        lost += eth_cut(tile_at(system, cable, end), &cable->end[!end], system->time);
        cable->end[end].cuts++;
    }
    cable->up = false;
    return lost;
}

static void join(bh_system *system, struct cable *cable) {
    for (unsigned end = 0; end < 2; end++) {
        cable->end[end].trainings++;
        eth_join(tile_at(system, cable, end), system->time);
    }
    cable->up = true;
}

bh_status bh_system_cut(bh_system *system, unsigned link) {
    if (!system)
        return BH_ERR_ARGUMENT;
    if (system->in_run)
        return busy(system);
    struct cable *cable = find_cable(system, link);
    if (!cable)
        return BH_ERR_ARGUMENT;
    if (!cable->up)
        return system_fail(system, BH_ERR_STATE, "link %u is down already", link);
    bh_status status = ranks_share_cables(system, "bh_system_cut", link);
    if (status != BH_OK)
        return status;
    uint64_t lost = cut(system, cable);
    notify_ends(system, cable);
    report_link(system, link, false, lost);
    return BH_OK;
}

bh_status bh_system_join(bh_system *system, unsigned link) {
    if (!system)
        return BH_ERR_ARGUMENT;
    if (system->in_run)
        return busy(system);
    struct cable *cable = find_cable(system, link);
    if (!cable)
        return BH_ERR_ARGUMENT;
    if (cable->up)
        return system_fail(system, BH_ERR_STATE, "link %u is up already", link);
    bh_status status = ranks_share_cables(system, "bh_system_join", link);
    if (status != BH_OK)
        return status;
    join(system, cable);
    notify_ends(system, cable);
    report_link(system, link, true, 0);
    return BH_OK;
}

static bool ends_at(const struct cable *cable, unsigned chip) {
    return cable->link.chip[0] == chip || cable->link.chip[1] == chip;
}

/* Both ends begin with new sequence numbers, and forget their frames. */
static void restart(bh_system *system, unsigned link, bool was_up, uint64_t lost) {
    struct cable *cable = system->cable[link];
    for (unsigned end = 0; end < 2; end++)
        lost += eth_restart(tile_at(system, cable, end));
    if (was_up)
        report_link(system, link, false, lost);
    if (was_up)
        join(system, cable);
    notify_ends(system, cable);
    if (was_up)
        report_link(system, link, true, 0);
}

bh_status bh_system_reset_chip(bh_system *system, unsigned chip) {
    static const uint64_t DOWN = UINT64_MAX;
    uint64_t lost[BH_SYSTEM_LINKS] = { 0 };
    if (!system)
        return BH_ERR_ARGUMENT;
    if (system->in_run)
        return busy(system);
    if (chip >= system->chip_count)
        return system_fail(system, BH_ERR_ARGUMENT, "there is no chip %u, only %u chips", chip, system->chip_count);
    bh_status status = ranks_share_cables(system, "bh_system_reset_chip", chip);
    if (status != BH_OK)
        return status;
    for (unsigned i = 0; i < system->link_count; i++)
        if (ends_at(system->cable[i], chip))
            lost[i] = system->cable[i]->up ? cut(system, system->cable[i]) : DOWN;
    host_reset(system->chip[chip]);
    member_init(system->chip[chip], system->time);
    for (unsigned i = 0; i < system->link_count; i++)
        if (ends_at(system->cable[i], chip))
            restart(system, i, lost[i] != DOWN, lost[i] != DOWN ? lost[i] : 0);
    return BH_OK;
}

/* ---- Reports -------------------------------------------------------------------------------------------------- */

/* A text that may not fit, like that of snprintf. */
struct text {
    char *at;
    size_t size, length;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...) {
    va_list args;
    size_t used = text->length < text->size ? text->length : text->size;
    va_start(args, format);
    int length = vsnprintf(text->at ? text->at + used : NULL, text->size - used, format, args);
    va_end(args);
    text->length += length > 0 ? (size_t)length : 0;
}

/* Adds the lines of a chip, each with its number. */
static void add_chip(struct text *text, const bh_system *system, unsigned chip) {
    size_t length = bh_report(system->chip[chip], NULL, 0);
    char *lines = length ? malloc(length + 1) : NULL;
    if (!lines)
        return;
    bh_report(system->chip[chip], lines, length + 1);
    for (char *line = lines, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        add(text, "chip %u: %.*s", chip, (int)(end - line), line);
    }
    free(lines);
}

size_t bh_system_report(const bh_system *system, char *report, size_t size) {
    struct text text = { report, report ? size : 0, 0 };
    if (!system)
        return 0;
    if (text.size)
        report[0] = '\0';
    for (unsigned i = 0; i < system->chip_count; i++)
        if (ranks_own(system, i))
            add_chip(&text, system, i);
    for (unsigned i = 0; i < system->link_count; i++) {
        const struct cable *cable = system->cable[i];
        if (!cable->up)
            add(&text, "link %u, port %u of chip %u to port %u of chip %u: down, %llu frames wait\n", i,
                cable->link.port[0], cable->link.chip[0], cable->link.port[1], cable->link.chip[1],
                (unsigned long long)(cable->end[0].held.count + cable->end[1].held.count));
    }
    return text.length;
}
