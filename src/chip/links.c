/* Reservations of links: see links.h. */
#include "chip/links.h"

#include <string.h>

#include "base/check.h"
#include "base/loop.h"
#include "base/order.h"
#include "noc/route.h"

/* ---- Routes ------------------------------------------------------------------------------------------------------ */

/* The time of a line is ahead of chip time: by SKEW at its first link, and by NOC_HOP less at each following link. */
enum { SKEW = NOC_HOP * LINKS_A_LINE };

/* Adds the links from `link` to `end` of a line to a path. hops: the number of links before the run. */
static void add_run(struct links_path *path, unsigned line, unsigned link, unsigned end, unsigned hops) {
    path->run[path->runs++] = (struct links_run){
        .line = (uint8_t)line,
        .link = (uint8_t)link,
        .count = (uint8_t)(end - link),
        .before = (uint8_t)hops,
        .offset = (uint16_t)(NOC_INJECT + SKEW + NOC_HOP * hops - NOC_HOP * link),
    };
}

static void add_row(struct links_path *path, unsigned y, unsigned from, unsigned to, unsigned hops) {
    if (from < to) {
        add_run(path, LINKS_ALONG_X + y, from, to, hops);
    } else if (from > to) {
        if (from < NOC_WIDTH - 1)
            add_run(path, LINKS_ALONG_X + y, from, NOC_WIDTH - 1, hops);
        add_run(path, LINKS_LAST_X, y, y + 1, hops + NOC_WIDTH - 1 - from);
        if (to)
            add_run(path, LINKS_ALONG_X + y, 0, to, hops + NOC_WIDTH - from);
    }
}

static void add_column(struct links_path *path, unsigned x, unsigned from, unsigned to, unsigned hops) {
    if (from < to) {
        add_run(path, LINKS_ALONG_Y + x, from, to, hops);
    } else if (from > to) {
        add_run(path, LINKS_ALONG_Y + x, from, NOC_HEIGHT, hops);
        if (to)
            add_run(path, LINKS_ALONG_Y + x, 0, to, hops + NOC_HEIGHT - from);
    }
}

/* NoC 0 goes along x first, NoC 1 along y first. The last link is the one to the NIU. */
void links_make_path(struct links_path *path, unsigned noc, unsigned from, unsigned to) {
    unsigned from_x = route_x(noc, from), from_y = route_y(noc, from), to_x = route_x(noc, to), to_y = route_y(noc, to);
    unsigned wide = route_ahead(from_x, to_x, NOC_WIDTH), high = route_ahead(from_y, to_y, NOC_HEIGHT);
    *path = (struct links_path){ .key = links_key(noc, from, to), .hops = (uint8_t)(wide + high) };
    if (noc)
        add_column(path, from_x, from_y, to_y, 0);
    add_row(path, noc ? to_y : from_y, from_x, to_x, noc ? high : 0);
    if (!noc)
        add_column(path, to_x, from_y, to_y, wide);
    if (to_x < LINKS_A_LINE)
        add_run(path, LINKS_TO_NIU + to_y, to_x, to_x + 1, wide + high);
    else
        add_run(path, LINKS_TO_LAST_NIU, to_y, to_y + 1, wide + high);
}

/* ---- One line ---------------------------------------------------------------------------------------------------- */

static inline uint32_t period_of(uint64_t time) {
    return (uint32_t)(time / LINKS_PERIOD);
}

/* Returns the counts of a period; NULL if nothing crosses the line in it. */
static inline uint8_t *flits_in(struct links_line *line, uint32_t period) {
    return line->period[period % LINKS_PERIODS] == period ? line->flits[period % LINKS_PERIODS] : NULL;
}

/* Returns the counts of a period, to add to them. Returns NULL if counts of another period that is not over occupy the
 * entry. now: the number of the current period. */
static inline uint8_t *flits_to_take(struct links_line *line, uint32_t period, uint32_t now) {
    uint32_t *at = &line->period[period % LINKS_PERIODS];
    uint8_t *flits = line->flits[period % LINKS_PERIODS];
    if (*at == period)
        return flits;
    if ((int32_t)(*at - now) >= 0)
        return NULL;
    *at = period;
    return memset(flits, 0, LINKS_A_LINE);
}

/* A vector with one number for each link. */
typedef uint8_t sixteen __attribute__((vector_size(LINKS_A_LINE)));

/* Returns a vector with all ones for the links of a run. */
static inline sixteen links_of(const struct links_run *run) {
    static const uint8_t step[2 * LINKS_A_LINE] = { 0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
                                                    0,    0,    0,    0,    0,    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                                    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF };
    const uint8_t *from = step + LINKS_A_LINE - run->link;
    sixteen behind, beyond;
    memcpy(&behind, from, sizeof behind);
    memcpy(&beyond, from - run->count, sizeof beyond);
    return behind & ~beyond;
}

/* A loop over all links of a line: one vector instruction, or a few. */
#define EACH_LINK(i) BH_VECTOR_LOOP for (unsigned i = 0; i < LINKS_A_LINE; i++)

static inline sixteen larger_of(sixteen a, sixteen b) {
    uint8_t first[LINKS_A_LINE], second[LINKS_A_LINE];
    memcpy(first, &a, sizeof first);
    memcpy(second, &b, sizeof second);
    EACH_LINK(i)
    first[i] = first[i] > second[i] ? first[i] : second[i];
    memcpy(&a, first, sizeof a);
    return a;
}

static inline sixteen smaller_of(sixteen a, sixteen b) {
    uint8_t first[LINKS_A_LINE], second[LINKS_A_LINE];
    memcpy(first, &a, sizeof first);
    memcpy(second, &b, sizeof second);
    EACH_LINK(i)
    first[i] = first[i] < second[i] ? first[i] : second[i];
    memcpy(&a, first, sizeof a);
    return a;
}

static inline uint32_t largest(sixteen all) {
    uint8_t each[LINKS_A_LINE], most = 0;
    memcpy(each, &all, sizeof each);
    EACH_LINK(i)
    most = each[i] > most ? each[i] : most;
    return most;
}

static inline sixteen all_flits_in(struct links_line *line, uint32_t period) {
    const uint8_t *flits = flits_in(line, period);
    sixteen here = { 0 };
    if (flits)
        memcpy(&here, flits, sizeof here);
    return here;
}

/* Returns the most flits that cross any link of a run in a period. */
static inline uint32_t most_flits(struct links_line *line, uint32_t period, const struct links_run *run) {
    const uint8_t *flits = flits_in(line, period);
    sixteen here;
    if (!flits)
        return 0;
    if (run->count == 1)
        return flits[run->link];
    memcpy(&here, flits, sizeof here);
    return largest(here & links_of(run));
}

/* Adds flits to the counts of a period. */
static inline void add_flits(uint8_t *counts, sixteen flits) {
    sixteen here;
    memcpy(&here, counts, sizeof here);
    here += flits;
    memcpy(counts, &here, sizeof here);
}

/* How a packet crosses all links of a run in parallel. */
enum { CROSSING_PERIODS = 16, CROSSING_TOO_LONG };
struct crossing {
    struct links_line *line;
    uint64_t late;          /* delay of the first flit before it reaches the run */
    uint32_t period, count; /* first period and number of periods; count 0: each link has to be examined by itself */
    sixteen taken[CROSSING_PERIODS]; /* [period]: flits that cross each link */
};

/* Lets a packet cross all links of a run together, if the links are alike as far as the packet can tell: in each period
 * the same number of its flits can cross every link, and the first flit does not wait. Most packets find this. Returns
 * the delay of the last flit. Otherwise sets the count of periods to 0 and *waits to whether the first flit waits. */
static inline uint32_t cross_evenly(struct crossing *at, const struct links_run *run, uint64_t head, uint32_t flits,
                                    bool *waits) {
    const sixteen which = links_of(run);
    uint32_t period = period_of(head), from = (uint32_t)(head % LINKS_PERIOD), left = LINKS_PERIOD - from;
    uint32_t most = most_flits(at->line, period, run), delay = most > from ? most - from : 0;
    uint32_t some = delay || flits < left ? flits : left;
    *waits = most == LINKS_PERIOD;
    at->period = period;
    at->count = delay && most + flits > LINKS_PERIOD ? 0 : 1;
    at->taken[0] = which & (uint8_t)some;
    for (flits -= some; flits; flits -= some) {
        delay = most_flits(at->line, ++period, run);
        some = flits < LINKS_PERIOD ? flits : LINKS_PERIOD;
        at->taken[at->count++] = which & (uint8_t)some;
        if (delay + some <= LINKS_PERIOD)
            continue;
        at->count = 0;
        break;
    }
    return delay;
}

/* Does the same for links that are not alike: flits for which a link has no room wait there for the next period. Sets
 * the count of periods to 0 if flits wait for too long. Precondition: the first flit does not wait; otherwise it would
 * reach the following links later. */
static __attribute__((noinline)) uint32_t cross_together(struct crossing *at, sixteen which, uint64_t head,
                                                         uint32_t flits) {
    enum { MOST_WAITING = 192 };
    uint32_t from = (uint32_t)(head % LINKS_PERIOD), end = from + flits, count = 0, backlog;
    sixteen waiting = { 0 }, taken, full, first = waiting + (uint8_t)from;
    do {
        uint32_t come = flits < LINKS_PERIOD - from ? flits : LINKS_PERIOD - from;
        full = larger_of(all_flits_in(at->line, at->period + count), first);
        waiting += which & (uint8_t)come;
        taken = smaller_of(LINKS_PERIOD - full, waiting);
        waiting -= taken;
        at->taken[count++] = taken;
        backlog = largest(waiting);
        flits -= come;
        from = 0;
        first = (sixteen){ 0 };
    } while ((flits || backlog) && backlog < MOST_WAITING && count < CROSSING_PERIODS);
    at->count = flits || backlog ? 0 : count;
    uint32_t tail = (count - 1) * LINKS_PERIOD + largest((full + taken) & (sixteen)(taken != 0));
    return tail > end ? tail - end : 0;
}

/* Adds the flits of a crossing to the counts. now: the number of the current period. */
static inline void take_together(const struct crossing *at, uint32_t now) {
    for (uint32_t i = 0; i < at->count; i++) {
        uint8_t *counts = flits_to_take(at->line, at->period + i, now);
        if (counts)
            add_flits(counts, at->taken[i]);
    }
}

/* Returns the flits that cross a link in a period. */
static inline uint32_t flits_across(const struct links_line *line, unsigned link, uint32_t period) {
    uint32_t at = period % LINKS_PERIODS;
    return line->period[at] == period ? line->flits[at][link] : 0;
}

/* Adds flits that cross a link in a period to the counts, unless another period occupies the entry. now: the number of
 * the current period. */
static inline void take(struct links_line *line, unsigned link, uint32_t period, uint32_t flits, uint32_t now) {
    uint8_t *counts = flits_to_take(line, period, now);
    if (counts)
        counts[link] = (uint8_t)(counts[link] + flits);
}

/* Notes such flits in a crossing, for take_together. */
static inline void note(struct crossing *run, unsigned link, uint32_t period, uint32_t flits) {
    uint32_t number = period - run->period;
    if (BH_UNLIKELY(number >= CROSSING_PERIODS)) {
        run->count = CROSSING_TOO_LONG;
        return;
    }
    while (run->count <= number)
        run->taken[run->count++] = (sixteen){ 0 };
    run->taken[number][link] = (uint8_t)flits;
}

/* Lets flits cross one link from *head on. Sets *head to the time of the first one, and returns the cycle after the
 * last one. Notes the flits in `run`, or adds them to the counts if `run` is NULL. now: the number of the current
 * period. */
static inline uint64_t cross(struct links_line *line, unsigned link, uint64_t *head, uint32_t flits, uint32_t now,
                             struct crossing *run) {
    uint64_t start = *head / LINKS_PERIOD * LINKS_PERIOD, planned = *head + flits;
    uint32_t period = period_of(start), from = (uint32_t)(*head % LINKS_PERIOD), crossing;
    while ((crossing = flits_across(line, link, period)) == LINKS_PERIOD) {
        start += LINKS_PERIOD;
        period++;
        from = 0;
    }
    *head = later(*head, start);
    while (true) {
        uint32_t before = crossing > from ? crossing : from, room = LINKS_PERIOD - before;
        uint32_t some = room < flits ? room : flits;
        if (run)
            note(run, link, period, some);
        else if (some)
            take(line, link, period, some, now);
        flits -= some;
        if (!flits)
            return later(planned, start + before + some);
        start += LINKS_PERIOD;
        from = 0;
        crossing = flits_across(line, link, ++period);
    }
}

/* ---- One packet -------------------------------------------------------------------------------------------------- */

/* The delays that a packet meets on its route. */
struct outlook {
    uint64_t late;   /* delay of the first flit so far */
    uint64_t delay;  /* delay of the last flit */
    unsigned narrow; /* index of the link that delays the packet most, if the delay is above LINKS_SLACK */
    struct crossing run[LINKS_RUNS];
};

static inline void note_delay(struct outlook *outlook, uint64_t delay, unsigned index) {
    if (delay <= outlook->delay)
        return;
    outlook->delay = delay;
    outlook->narrow = index;
}

/* Returns the delay of the last flit at a link that has room for the whole packet in the period in which the packet
 * comes, and notes the flits; returns LINKS_MOST for another link. counts: those of the period, or NULL. */
static inline uint32_t cross_at_once(struct crossing *at, const uint8_t *counts, unsigned link, uint64_t head,
                                     uint32_t flits) {
    uint32_t from = (uint32_t)(head % LINKS_PERIOD), crossing = counts ? counts[link] : 0;
    uint32_t before = crossing > from ? crossing : from;
    if (before + flits > LINKS_PERIOD)
        return LINKS_MOST;
    note(at, link, period_of(head), flits);
    return before - from;
}

static __attribute__((noinline)) void look_at_each(struct crossing *at, const struct links_run *run, uint64_t enters,
                                                   uint32_t flits, struct outlook *outlook) {
    uint64_t head = enters + outlook->late;
    const uint8_t *counts = flits_in(at->line, period_of(head));
    at->period = period_of(head);
    at->count = 0;
    for (unsigned i = 0; i < run->count; i++) {
        uint32_t delay = cross_at_once(at, counts, run->link + i, head, flits);
        if (delay != LINKS_MOST) {
            note_delay(outlook, outlook->late + delay, run->before + i);
            continue;
        }
        uint64_t tail = cross(at->line, run->link + i, &head, flits, 0, at);
        outlook->late = head - enters;
        counts = flits_in(at->line, period_of(head));
        note_delay(outlook, tail - enters - flits, run->before + i);
    }
    if (at->count == CROSSING_TOO_LONG)
        at->count = 0;
}

static inline void look_along(struct links *links, const struct links_route *route, uint64_t time,
                              struct outlook *outlook) {
    const struct links_run *run = route->path->run, *const end = run + route->path->runs;
    struct links_line *const lines = links->line[route->noc];
    struct crossing *at = outlook->run;
    uint64_t late = 0, most = 0;
    const uint32_t flits = route->busy;
    for (; run < end; run++, at++) {
        uint64_t enters = time + run->offset;
        at->line = &lines[run->line];
        at->late = late;
        bool waits;
        uint64_t delay = late + cross_evenly(at, run, enters + late, flits, &waits);
        if (!at->count && !waits)
            delay = late + cross_together(at, links_of(run), enters + late, flits);
        if (BH_UNLIKELY(!at->count || (delay > LINKS_SLACK && delay > late))) {
            outlook->late = late;
            outlook->delay = most;
            look_at_each(at, run, enters, flits, outlook);
            late = outlook->late;
            delay = outlook->delay;
        }
        most = later(most, delay);
    }
    outlook->delay = most;
}

/* Returns the part of a wait that routers do not hide: they take in flits for LINKS_SLACK cycles. */
static inline uint64_t felt(uint64_t wait) {
    return wait > LINKS_SLACK ? wait - LINKS_SLACK : 0;
}

/* Returns the cycles for which a packet that waits further on keeps a link busy, in addition to those for its flits. If
 * it waits for longer, other packets pass it. Packets always pass a response, which leaves them another virtual
 * channel. (Fitted to measurements.) */
static inline uint32_t hold_of(const struct links_route *route, uint64_t wait) {
    return route->response ? 0 : (uint32_t)smaller(felt(wait), route->busy * 3 / 2);
}

static __attribute__((noinline)) void take_each(const struct crossing *at, const struct links_run *run, uint64_t time,
                                                const struct links_route *route, const struct outlook *outlook) {
    uint64_t enters = time + run->offset, late = at->late;
    for (unsigned i = 0; i < run->count; i++) {
        bool holds = outlook->delay > LINKS_SLACK && run->before + i < outlook->narrow;
        uint64_t head = enters + late;
        cross(at->line, run->link + i, &head, route->busy + (holds ? hold_of(route, outlook->delay - late) : 0),
              period_of(time), NULL);
        late = head - enters;
    }
}

static inline void take_along(const struct links_route *route, uint64_t time, const struct outlook *outlook) {
    const struct links_run *run = route->path->run, *const end = run + route->path->runs;
    const struct crossing *at = outlook->run;
    const unsigned holds = BH_LIKELY(outlook->delay <= LINKS_SLACK || route->response) ? 0 : outlook->narrow;
    for (; run < end; run++, at++)
        if (BH_LIKELY(at->count && run->before >= holds))
            take_together(at, period_of(time));
        else
            take_each(at, run, time, route, outlook);
}

/* Takes into account when the receiver, which comes after the last link, accepts the packet. */
static inline void look_at_receiver(const struct links_route *route, uint64_t time, struct outlook *outlook) {
    uint64_t arrives = time + route_latency(route->path->hops) + route->cycles - 1;
    if (route->accepted_from > arrives)
        note_delay(outlook, route->accepted_from - arrives, route->path->hops + 1u);
}

/* How a packet that is no longer than a period crosses a run evenly: in one period, or in two if the second has room
 * for the rest. */
struct short_crossing {
    struct links_line *line;
    uint32_t period, rest; /* the first period, and the flits that cross in the next one */
};

/* Does what cross_evenly does. Returns LINKS_MOST if the packet cannot cross the run like this. */
static inline uint32_t cross_quickly(struct short_crossing *at, const struct links_run *run, uint64_t head,
                                     uint32_t flits) {
    uint32_t period = period_of(head), from = (uint32_t)(head % LINKS_PERIOD);
    uint32_t most = most_flits(at->line, period, run), before = most > from ? most : from;
    at->period = period;
    at->rest = 0;
    if (before + flits <= LINKS_PERIOD)
        return before - from;
    uint32_t delay = most_flits(at->line, period + 1, run);
    at->rest = before + flits - LINKS_PERIOD;
    return most > from || at->rest + delay > LINKS_PERIOD ? LINKS_MOST : delay;
}

/* Adds flits that cross all links of a run in a period to the counts. */
static inline void take_run(struct links_line *line, const struct links_run *run, uint32_t period, uint32_t flits,
                            uint32_t now) {
    uint8_t *counts = flits_to_take(line, period, now);
    if (counts && run->count == 1)
        counts[run->link] = (uint8_t)(counts[run->link] + flits);
    else if (counts)
        add_flits(counts, links_of(run) & (uint8_t)flits);
}

/* The plan for most packets, which cross all runs like this. No first flit waits, and the delay is within LINKS_SLACK,
 * so that nothing is held: the links are what take_slowly would make them. Returns the delay; LINKS_MOST for another
 * packet, which has taken nothing. */
static inline uint32_t take_quickly(struct links *links, const struct links_route *route, uint64_t time) {
    const struct links_run *run = route->path->run, *const end = run + route->path->runs;
    struct links_line *const lines = links->line[route->noc];
    struct short_crossing plan[LINKS_RUNS], *at = plan;
    const uint32_t flits = route->busy, now = period_of(time);
    uint32_t most = 0;
    for (; run < end; run++, at++) {
        at->line = &lines[run->line];
        uint32_t delay = cross_quickly(at, run, time + run->offset, flits);
        if (delay == LINKS_MOST)
            return delay;
        most = delay > most ? delay : most;
    }
    for (run = route->path->run, at = plan; run < end; run++, at++) {
        take_run(at->line, run, at->period, flits - at->rest, now);
        if (at->rest)
            take_run(at->line, run, at->period + 1, at->rest, now);
    }
    return most;
}

_Static_assert(LINKS_PERIOD <= LINKS_SLACK, "the delay of such a packet is less than a period");

/* Returns whether the packet leaves now; else it has taken nothing. */
static __attribute__((noinline)) bool take_slowly(struct links *links, const struct links_route *route, uint64_t time,
                                                  uint64_t *delay) {
    struct outlook outlook;
    look_along(links, route, time, &outlook);
    look_at_receiver(route, time, &outlook);
    *delay = outlook.delay;
    if (outlook.delay > LINKS_MOST)
        return false;
    take_along(route, time, &outlook);
    return true;
}

bool links_take(struct links *links, const struct links_route *route, uint64_t time, uint64_t *delay) {
    bool is_short = route->busy <= LINKS_PERIOD && !route->accepted_from;
    *delay = is_short ? take_quickly(links, route, time) : LINKS_MOST;
    if (*delay == LINKS_MOST && !take_slowly(links, route, time, delay)) {
        *delay -= LINKS_MOST;
        return false;
    }
    links->inject[route->noc][route->from] = time + later(route->cycles + NOC_NEXT, route->busy);
    links->next_from[route->noc][route->from][route->response] = time + route->busy + felt(*delay);
    return true;
}

/* ---- Multicasts ------------------------------------------------------------------------------------------------- */

struct tree {
    struct links *links;
    const struct links_route *route;
    const struct noc_request *request;
    uint64_t time, delay;
    uint64_t early; /* cycles by which the path would be reserved too early; UINT64_MAX: unknown */
};

/* Calls `visit` once for every link of the tree, with the run that contains the link. */
static void each_link(struct tree *tree, const struct noc_sites *sites,
                      void (*visit)(struct tree *tree, const struct links_run *run, unsigned link)) {
    uint32_t seen[LINKS_LINES] = { 0 };
    struct noc_sites left = *sites;
    for (unsigned to; (to = noc_sites_next(&left)) != NOC_NOWHERE;) {
        struct links_path path;
        links_make_path(&path, tree->route->noc, tree->route->from, to);
        for (const struct links_run *run = path.run; run < path.run + path.runs; run++) {
            uint32_t fresh = ((UINT32_C(1) << run->count) - 1) << run->link & ~seen[run->line];
            seen[run->line] |= fresh;
            for (; fresh; fresh &= fresh - 1)
                visit(tree, run, (unsigned)__builtin_ctz(fresh));
        }
    }
}

static uint64_t *circuit_of(struct tree *tree, const struct links_run *run, unsigned link) {
    return &tree->links->circuit[tree->route->noc][run->line][link];
}

/* A link can be reserved only after the previous reservation has ended. */
static void look(struct tree *tree, const struct links_run *run, unsigned link) {
    if (run->line >= LINKS_TO_NIU)
        return;
    uint64_t circuit = *circuit_of(tree, run, link), enters = tree->time + run->offset - SKEW + NOC_HOP * link;
    uint64_t reserved = enters - tree->request->reservation;
    if (circuit >= links_held(NOC_SITES))
        tree->early = circuit == links_held(tree->route->from) ? tree->early : UINT64_MAX;
    else if (circuit > reserved)
        tree->early = later(tree->early, circuit - reserved);
}

/* Returns the cycles by which a multicast is delayed whose path cannot be reserved yet. */
static uint64_t backoff(const struct tree *tree, uint64_t first) {
    if (tree->early == UINT64_MAX)
        return 0; /* the next exchange may know */
    uint64_t waited = tree->time + tree->early - first;
    return tree->early + (waited < LINKS_PATIENCE ? waited / LINKS_BACKOFF : 0);
}

static void take_link(struct tree *tree, const struct links_run *run, unsigned link) {
    uint64_t head = tree->time + run->offset, planned = head + tree->route->busy;
    struct links_line *line = &tree->links->line[tree->route->noc][run->line];
    uint64_t tail = cross(line, link, &head, tree->route->busy, period_of(tree->time), NULL);
    tree->delay = later(tree->delay, tail - planned);
    if (tree->request->reserve && run->line < LINKS_TO_NIU)
        *circuit_of(tree, run, link) =
            tree->request->linked ? links_held(tree->route->from) : planned - SKEW + NOC_HOP * link;
}

/* Gives up the path of a linked transaction after its last packet. */
static void give_up(struct links *links, const struct links_route *route, uint64_t time) {
    for (unsigned line = 0; line < LINKS_TO_NIU; line++)
        for (unsigned link = 0; link < LINKS_A_LINE; link++)
            if (links->circuit[route->noc][line][link] == links_held(route->from))
                links->circuit[route->noc][line][link] = time + route->busy;
}

bool links_take_tree(struct links *links, const struct links_route *route, const struct noc_sites *sites,
                     const struct noc_request *request, uint64_t time, uint64_t *delay) {
    struct tree tree = { links, route, request, time, 0, 0 };
    uint64_t *const reserve = &links->reserve[route->noc][route->from];
    if (request->reservation) {
        uint64_t first = later(request->time, *reserve + request->reservation);
        *delay = first - time;
        if (time < first)
            return false;
        each_link(&tree, sites, look);
        *delay = backoff(&tree, first);
        if (tree.early)
            return false;
    }
    each_link(&tree, sites, take_link);
    if (!request->linked && links->holds[route->noc][route->from])
        give_up(links, route, time);
    links->holds[route->noc][route->from] = request->linked && request->reserve;
    *delay = tree.delay;
    *reserve = links->inject[route->noc][route->from] = time + route->busy + NOC_NEXT;
    return true;
}
