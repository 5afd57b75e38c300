/* A probe of two choices: see pace_probe.h. */
#include "chip/pace_probe.h"

enum { WINDOW = 32, TRIAL = 10, WARM_UP = 2, PAUSE_MIN = 4, PAUSE_MAX = 256 };
enum {
    FLOP = 4,
    FLOP_PIECES = 8,
    FLOP_PAUSE_MIN = 2,
    CALM = 64 /* windows without a flop, after which earlier ones are forgotten */
};

void pace_probe_init(struct pace_probe *probe, bool choice, uint64_t longest) {
    *probe = (struct pace_probe){ .choice = choice,
                                  .better = choice,
                                  .pause = PAUSE_MIN,
                                  .flop_pause = FLOP_PAUSE_MIN,
                                  .waits = 1,
                                  .longest = longest };
}

static void begin_window(struct pace_probe *probe, bool choice) {
    probe->choice = choice;
    probe->piece = 0;
    probe->spent = probe->work = probe->cost = 0;
}

static double price_of(const struct pace_probe *probe) {
    return (double)probe->cost / (double)probe->work;
}

static unsigned longer(unsigned pause) {
    return 2 * pause < PAUSE_MAX ? 2 * pause : PAUSE_MAX;
}

/* Returns whether choice true has been left early, and may be tried again only after flop_pause. */
static bool has_flopped(const struct pace_probe *probe) {
    return !probe->better && probe->flop_pause > FLOP_PAUSE_MIN;
}

/* Ends a trial. pays: the other choice was cheaper. */
static void end_probe(struct pace_probe *probe, bool pays) {
    bool flopped = has_flopped(probe);
    unsigned *pause = flopped ? &probe->flop_pause : &probe->pause;
    if (!pays)
        *pause = longer(*pause);
    else if (!flopped)
        *pause = PAUSE_MIN;
    probe->waits = pays ? probe->pause : *pause;
    probe->better ^= pays;
    begin_window(probe, probe->better);
}

static void judge(struct pace_probe *probe) {
    probe->price[probe->choice] = price_of(probe);
    end_probe(probe, probe->price[probe->choice] < probe->price[!probe->choice]);
}

/* Returns a moving average. It limits the weight of a single window, in which the host may have been busy with other
 * things. */
static double smoothed(double old, double new) {
    if (old == 0)
        return new;
    return (3 * old + (new < 2 * old ? new : 2 * old)) / 4;
}

/* Returns whether this window with choice true, which other programs of the host can hold up for long, has cost several
 * times as much as the other choice. */
static bool is_flop(const struct pace_probe *probe) {
    return probe->choice && probe->piece >= FLOP_PIECES && probe->price[false] > 0 &&
           (double)probe->cost > FLOP * probe->price[false] * (double)probe->work;
}

/* Leaves choice true at once, for longer if that was necessary a short while ago. */
static void end_flop(struct pace_probe *probe) {
    probe->better = false;
    probe->waits = probe->flop_pause;
    probe->flop_pause = longer(probe->flop_pause);
    probe->calm = 0;
    begin_window(probe, false);
}

static void end_window(struct pace_probe *probe) {
    double *price = probe->price;
    bool choice = probe->choice;
    if (choice && ++probe->calm == CALM)
        probe->flop_pause = FLOP_PAUSE_MIN;
    price[choice] = smoothed(price[choice], price_of(probe));
    probe->window_cost = price[choice] * (double)probe->work;
    if (price[!choice] > 0 && price[choice] > 1.5 * price[!choice] && !has_flopped(probe))
        probe->waits = 1;
    begin_window(probe, choice ^ (--probe->waits == 0));
}

void pace_probe_note(struct pace_probe *probe, uint64_t work, uint64_t cost) {
    bool tries = probe->choice != probe->better, was_long = pace_probe_is_long(probe);
    probe->last = cost;
    if (was_long)
        return;
    probe->spent += cost;
    if (probe->piece++ >= WARM_UP) {
        probe->work += work;
        probe->cost += cost;
    }
    if (tries && (double)probe->spent >= probe->window_cost)
        end_probe(probe, false);
    else if (tries && probe->piece == TRIAL)
        judge(probe);
    else if (is_flop(probe))
        end_flop(probe);
    else if (probe->piece == WINDOW)
        end_window(probe);
}
