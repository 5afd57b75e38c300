/* Systems of the command line: a machine for each chip (machine.h). The first machine has the system; every action
 * names a chip. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/ranks.h"
#include "text/file.h"

static struct machine *machine_of(struct machine *m, const bh_chip *chip) {
    for (unsigned i = 0; i < m->other_count; i++)
        if (m->others[i].chip == chip)
            return &m->others[i];
    return m;
}

static void on_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    if (!machine_is_repeated(user))
        machine_on_fault(machine_of(user, chip), fault);
}

static void on_warning(void *user, bh_chip *chip, const struct bh_fault *warning) {
    if (machine_is_repeated(user))
        return;
    fprintf(stderr, "bhemu: warning: chip %u, tile %u,%u: %s\n", machine_of(user, chip)->number, warning->tile.x,
            warning->tile.y, warning->text);
}

/* Refuses options that are for a single chip or a single process. */
static bool check_options(struct machine *m, const struct settings *settings) {
    if (m->restore && ranks_are_several())
        return machine_fail(m, "--restore is for one process, not for several ranks");
    return !settings->has_board || machine_fail(m, "--board is for a single chip, not for a system");
}

/* Completes the message about a file that cannot be read: the user may have meant a kind of system. */
static bool name_kinds(struct machine *m) {
    size_t used = strlen(m->message);
    for (int kind = 0; kind < BH_SYSTEM_KIND_COUNT && used < sizeof m->message; kind++)
        used +=
            (size_t)snprintf(m->message + used, sizeof m->message - used, "%s%s",
                             kind ? ", " : "; kinds of systems are ", bh_system_kind_name((enum bh_system_kind)kind));
    return false;
}

/* Adds the chips of the kind of system that the option names, or of the file that describes a system. */
static bool describe(struct machine *m) {
    size_t size;
    for (int kind = 0; kind < BH_SYSTEM_KIND_COUNT; kind++)
        if (strcmp(m->system_name, bh_system_kind_name((enum bh_system_kind)kind)) == 0)
            return bh_system_add(m->system, (enum bh_system_kind)kind) == BH_OK ||
                   machine_fail(m, "--system: %s", bh_system_message(m->system));
    char *text = (char *)file_read(span_of(m->system_name), &size, m->message, sizeof m->message);
    if (!text)
        return name_kinds(m);
    bool ok = bh_system_describe(m->system, text, size) == BH_OK;
    free(text);
    return ok || machine_fail(m, "%s: %s", m->system_name, bh_system_message(m->system));
}

/* Makes the machines of the other chips, with the options of the first. */
static bool make_machines(struct machine *m) {
    unsigned count = bh_system_chip_count(m->system);
    struct machine *others = calloc(count, sizeof *others);
    if (!others)
        return machine_fail(m, "out of memory");
    m->chip = bh_system_chip(m->system, 0);
    for (unsigned i = 1; i < count; i++) {
        others[i - 1] = *m;
        others[i - 1].chip = bh_system_chip(m->system, i);
        others[i - 1].number = i;
        others[i - 1].system = NULL;
        others[i - 1].ranks = NULL;
    }
    m->others = others;
    m->other_count = count - 1;
    for (unsigned i = 0; i + 1 < count; i++)
        if (others[i].chip && !machine_begin(&others[i]))
            return machine_fail(m, "chip %u: %s", i + 1, others[i].message);
    return !m->chip || machine_begin(m);
}

static bool restore(struct machine *m) {
    return !m->restore || bh_system_load(m->system, m->restore) == BH_OK ||
           machine_fail(m, "%s", bh_system_message(m->system));
}

bool system_open(struct machine *m, const struct settings *settings) {
    if (!check_options(m, settings))
        return false;
    if (ranks_are_several() && !ranks_open(m))
        return false;
    if (bh_system_create(&m->system) != BH_OK)
        return machine_fail(m, "out of memory");
    bh_config_init(&m->config);
    m->config.timing = settings->timing;
    m->config.skew = settings->has_skew ? settings->skew : 0;
    m->config.on_fault = on_fault;
    m->config.on_warning = on_warning;
    m->config.user = m;
    bh_system_defaults(m->system, &m->config);
    if (settings->has_threads)
        bh_system_threads(m->system, settings->threads);
    m->config.threads = settings->has_threads ? settings->threads : 0;
    if (m->ranks)
        return ranks_divide(m, describe(m)) && make_machines(m);
    return describe(m) && restore(m) && make_machines(m);
}

void system_close(struct machine *m) {
    for (unsigned i = 0; i < m->other_count; i++) {
        m->others[i].chip = NULL; /* it belongs to the system */
        machine_close(&m->others[i]);
    }
    free(m->others);
    bh_system_destroy(m->system);
    if (m->ranks)
        ranks_close(m);
}

struct machine *system_chip(struct machine *m, unsigned chip) {
    unsigned count = m->system ? bh_system_chip_count(m->system) : 1;
    if (chip >= count) {
        (void)machine_fail(
            m, m->system ? "there is no chip %u: the last one is %u" : "there is no chip %u without --system", chip,
            count - 1);
        return NULL;
    }
    return chip ? &m->others[chip - 1] : m;
}

bool system_run(struct machine *m, uint64_t cycles, unsigned flags, struct bh_stop *stop) {
    struct bh_system_stop end;
    if (bh_system_run(m->system, cycles, flags, &end) != BH_OK)
        return machine_fail(m, "%s", bh_system_message(m->system));
    *stop = (struct bh_stop){ .reason = end.reason, .cycle = end.cycle, .waiting = end.waiting, .fault = end.fault };
    return true;
}

void system_share(struct machine *m) {
    for (unsigned i = 0; i < m->other_count; i++) {
        m->others[i].limit_reached = m->limit_reached;
        m->others[i].interrupted = m->interrupted;
        m->others[i].deadlock = m->deadlock;
        m->others[i].seconds = m->seconds;
    }
}
