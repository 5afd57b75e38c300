/* Which of two ways costs less: see trial.h. */
#include "chip/trial.h"

enum { WINDOW = 32, TRIAL = 10, WARM_UP = 2, PAUSE_MIN = 4, PAUSE_MAX = 256 };

void trial_init(struct trial *trial, bool way) {
    *trial = (struct trial){ .way = way, .better = way, .pause = PAUSE_MIN, .waits = 1 };
}

static void begin_window(struct trial *trial, bool way) {
    trial->way = way;
    trial->piece = 0;
    trial->spent = trial->work = trial->cost = 0;
}

static double price_of(const struct trial *trial) {
    return (double)trial->cost / (double)trial->work;
}

/* A trial is over. */
static void end_trial(struct trial *trial, bool pays) {
    if (pays) {
        trial->better = trial->way;
        trial->pause = PAUSE_MIN;
    } else if (trial->pause < PAUSE_MAX) {
        trial->pause *= 2;
    }
    trial->waits = trial->pause;
    begin_window(trial, trial->better);
}

static void judge(struct trial *trial) {
    trial->price[trial->way] = price_of(trial);
    end_trial(trial, trial->price[trial->way] < trial->price[!trial->way]);
}

/* A single window in which the host was busy with something else does not count for much. */
static double smoothed(double old, double new) {
    if (old == 0)
        return new;
    return (3 * old + (new < 2 * old ? new : 2 * old)) / 4;
}

static void end_window(struct trial *trial) {
    double *price = trial->price;
    bool way = trial->way;
    price[way] = smoothed(price[way], price_of(trial));
    trial->window_cost = price[way] * (double)trial->work;
    if (price[!way] > 0 && price[way] > 1.5 * price[!way])
        trial->waits = 1;
    begin_window(trial, way ^ (--trial->waits == 0));
}

void trial_note(struct trial *trial, uint64_t work, uint64_t cost) {
    bool tries = trial->way != trial->better;
    trial->spent += cost;
    if (trial->piece++ >= WARM_UP) {
        trial->work += work;
        trial->cost += cost;
    }
    if (tries && (double)trial->spent >= trial->window_cost)
        end_trial(trial, false);
    else if (tries && trial->piece == TRIAL)
        judge(trial);
    else if (trial->piece == WINDOW)
        end_window(trial);
}
