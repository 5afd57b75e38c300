/* bhemu device: shows a chip as a PCI device to a virtual machine (docs/virtual-machines.md). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bhemu.h"
#include "cmd/commands.h"
#include "machine/machine.h"
#include "text/text.h"
#include "vfio/vfio.h"

enum option_id { OPT_BOARD, OPT_THREADS, OPT_TIMING, OPT_RESTORE, OPT_SAVE, OPT_STEP, OPT_ONCE, OPT_QUIET };

static const struct option options[] = {
    { OPT_BOARD, "board", "p150|p100a", "p150 if not given" },
    { OPT_TIMING, "timing", "cycles|loose", "cycles if not given" },
    { OPT_THREADS, "threads", "N", "host threads; the result does not depend on it" },
    { OPT_RESTORE, "restore", "FILE", "begins with a chip that was saved, and resets return to it" },
    { OPT_SAVE, "save", "FILE", "saves the chip at the end" },
    { OPT_STEP, "step", "N", "cycles that pass with each access of the driver; 1000 if not given" },
    { OPT_ONCE, "once", NULL, "ends when the virtual machine ends, instead of waiting for the next" },
    { OPT_QUIET, "quiet", NULL, "prints faults and errors only" },
    { 0, NULL, NULL, NULL },
};

static const char notes[] =
    "Listens at the socket SOCKET, a new file, for a virtual machine that speaks vfio-user, and shows it a chip\n"
    "as a PCI device, with which a kernel driver works as with a card. The chip runs while it has something to\n"
    "do, and keeps its state between two virtual machines. Ctrl-C ends the command.\n"
    "\n"
    "Exit status: 0; 2 for mistakes of usage.\n"
    "\n"
    "Examples:\n"
    "  bhemu device /tmp/chip.sock\n"
    "  qemu-system-x86_64 -machine q35,memory-backend=ram -m 4G \\\n"
    "      -object memory-backend-memfd,id=ram,size=4G,share=on \\\n"
    "      -device '{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":\"/tmp/chip.sock\"}}' ...\n";

struct choice {
    struct bh_config config;
    const char *socket, *restore, *save;
    uint64_t step;
    bool once, quiet;
};

static volatile sig_atomic_t stopped;

static void on_signal(int signal) {
    (void)signal;
    stopped = 1;
}

static void warn(const char *text) {
    fprintf(stderr, "bhemu device: %s\n", text);
}

static void on_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    (void)user, (void)chip;
    fprintf(stderr, "fault on tile %u,%u: %s\n", fault->tile.x, fault->tile.y, fault->text);
}

/* ---- The chip ----------------------------------------------------------------------------------------- */

/* Creates the chip, or loads the saved one. Returns EXIT_DONE, or prints a message. */
static int make_chip(const struct command *command, struct choice *choice, const struct settings *settings,
                     struct vfio_device *device) {
    char message[300];
    bh_chip *chip;
    bh_config_board(&choice->config, settings->board);
    if (choice->restore && bh_saved_config(choice->restore, &choice->config, message, sizeof message) != BH_OK)
        return tool_error(command, "%s", message);
    if (choice->restore && settings->has_board && choice->config.board != settings->board)
        return tool_error(command, "%s has a %s", choice->restore, board_name(choice->config.board));
    if (choice->restore && settings->has_timing && choice->config.timing != settings->timing)
        return tool_error(command, "%s has another timing", choice->restore);
    choice->config.timing = choice->restore ? choice->config.timing : settings->timing;
    choice->config.threads = settings->has_threads ? settings->threads : choice->config.threads;
    choice->config.on_fault = on_fault;
    vfio_configure(device, &choice->config);
    if (bh_create(&choice->config, &chip, message, sizeof message) != BH_OK)
        return tool_error(command, "%s", message);
    vfio_attach(device, chip);
    if (!choice->restore)
        return EXIT_DONE;
    if (bh_load(device->chip, choice->restore) != BH_OK || bh_snapshot_take(device->chip, &device->origin) != BH_OK)
        return tool_error(command, "%s", bh_message(device->chip));
    return EXIT_DONE;
}

/* ---- Clients -------------------------------------------------------------------------------------------- */

/* Returns the socket of the next client; -1 after Ctrl-C or, with errno, if there can be none. */
static int wait_for_client(int listener) {
    while (!stopped) {
        if (!vfio_is_called(listener, true))
            continue;
        int client = accept(listener, NULL, NULL);
        if (client >= 0)
            return client;
        if (errno != EINTR && errno != ECONNABORTED && errno != EAGAIN)
            return -1;
    }
    return -1;
}

/* Serves one virtual machine after the other. */
static int serve_all(const struct command *command, const struct choice *choice, struct vfio_device *device,
                     int listener) {
    const char *why = "";
    for (unsigned served = 0; !stopped && !(served && choice->once); served++) {
        int client = wait_for_client(listener);
        if (client < 0)
            return stopped ? EXIT_DONE : tool_error(command, "%s: %s", choice->socket, strerror(errno));
        if (!choice->quiet)
            fprintf(stderr, "a virtual machine has connected at cycle %llu\n",
                    (unsigned long long)bh_cycle(device->chip));
        if (!vfio_serve(device, client, &stopped, &why))
            fprintf(stderr, "bhemu device: %s: %s\n", choice->socket, why);
        (void)close(client);
        if (!choice->quiet)
            fprintf(stderr, "it has disconnected at cycle %llu\n", (unsigned long long)bh_cycle(device->chip));
    }
    return EXIT_DONE;
}

/* Ctrl-C interrupts the wait for a client. */
static void hear_signals(void) {
    struct sigaction action = { .sa_handler = on_signal };
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

static int listen_and_serve(const struct command *command, const struct choice *choice, struct vfio_device *device) {
    int listener = vfio_listen(choice->socket);
    if (listener < 0)
        return tool_error(command, "%s: %s", choice->socket, strerror(errno));
    hear_signals();
    vfio_guard(device);
    if (!choice->quiet)
        fprintf(stderr, "listening at %s\n", choice->socket);
    int status = serve_all(command, choice, device, listener);
    (void)close(listener);
    (void)unlink(choice->socket);
    if (status == EXIT_DONE && choice->save && bh_save(device->chip, choice->save) != BH_OK)
        return tool_error(command, "%s", bh_message(device->chip));
    return status;
}

/* ---- The command ------------------------------------------------------------------------------------------ */

static int parse(struct arguments *a, struct choice *choice, struct settings *settings) {
    struct parse_error error = { 0 };
    for (int id; (id = options_next(a)) != OPTION_END;) {
        struct span value = a->value ? span_of(a->value) : (struct span){ 0 };
        bool good = true;
        switch (id) {
        case OPTION_BAD: return EXIT_USAGE;
        case OPTION_HELP: return -1;
        case OPTION_WORD:
            if (choice->socket)
                return usage_error(a->command, "unexpected '%s'", a->value);
            choice->socket = a->value;
            break;
        case OPT_BOARD: good = parse_board(value, settings, &error); break;
        case OPT_THREADS: good = parse_threads(value, settings, &error); break;
        case OPT_TIMING: good = parse_timing(value, settings, &error); break;
        case OPT_RESTORE: choice->restore = a->value; break;
        case OPT_SAVE: choice->save = a->value; break;
        case OPT_STEP:
            good = span_count(value, &choice->step);
            snprintf(error.text, sizeof error.text, "'%s' is not a number", a->value);
            break;
        case OPT_ONCE: choice->once = true; break;
        case OPT_QUIET: choice->quiet = true; break;
        }
        if (!good)
            return usage_error(a->command, "--%s: %s", a->name, error.text);
    }
    bool named = choice->socket && *choice->socket; /* a socket without a name could not be found */
    return named ? EXIT_DONE : usage_error(a->command, "the path of a socket is missing");
}

static int run(const struct command *command, int argc, char **argv) {
    struct arguments arguments = { .command = command, .argc = argc, .argv = argv };
    struct choice choice = { .step = 1000 };
    struct settings settings = { 0 };
    int status = parse(&arguments, &choice, &settings);
    if (status != EXIT_DONE)
        return status < 0 ? EXIT_DONE : status;
    struct vfio_device device = { .cycles_per_access = choice.step, .warn = warn };
    status = make_chip(command, &choice, &settings, &device);
    if (status == EXIT_DONE)
        status = listen_and_serve(command, &choice, &device);
    bh_snapshot_free(device.origin);
    bh_destroy(device.chip);
    return status;
}

const struct command command_device = {
    .name = "device",
    .synopsis = "SOCKET [--board NAME] [--restore FILE] [--once]",
    .summary = "show a chip as a PCI device to a virtual machine",
    .options = options,
    .notes = notes,
    .run = run,
};
