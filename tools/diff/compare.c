/* Comparisons of the two chips of a search: see seek.h. */
#include <stdlib.h>
#include <string.h>

#include "diff/seek.h"

static int order(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

static int by_position(const void *left, const void *right) {
    const struct bh_difference *a = left, *b = right;
    int result = order(a->part, b->part);
    result = result ? result : order(a->bank, b->bank);
    result = result ? result : order((uint64_t)a->tile.y << 8 | a->tile.x, (uint64_t)b->tile.y << 8 | b->tile.x);
    return result ? result : order(a->address, b->address);
}

static bool is_ignored(const struct seeker *s, const struct bh_difference *d) {
    return s->ignored_count && bsearch(d, s->ignored, s->ignored_count, sizeof *d, by_position);
}

static void note_tile(struct comparison *comparison, struct bh_xy tile) {
    if (tile.x == 255 || (comparison->all_tiles && tile.x == comparison->last.x && tile.y == comparison->last.y))
        return;
    comparison->last = tile;
    comparison->all_tiles++;
    if (comparison->tiles < TILES_STEPPED)
        comparison->tile[comparison->tiles++] = tile;
}

bool compare_add(void *user, const struct bh_difference *difference) {
    struct comparison *comparison = user;
    bool memory = difference->part == BH_PART_L1 || difference->part == BH_PART_DRAM;
    if (is_ignored(comparison->seeker, difference) || (comparison->seeker->memory && !memory))
        return true;
    note_tile(comparison, difference->tile);
    comparison->list.total++;
    if (comparison->list.count < comparison->most) {
        size_t count = comparison->list.count;
        if ((count & (count - 1)) == 0) {
            struct bh_difference *larger = realloc(comparison->list.item, (count ? 2 * count : 1) * sizeof *larger);
            if (!larger) {
                comparison->no_memory = true;
                return false;
            }
            comparison->list.item = larger;
        }
        comparison->list.item[comparison->list.count++] = *difference;
    }
    return !comparison->stop || comparison->list.count < comparison->most;
}

bool compare(const struct seeker *s, const struct bh_xy *tile, struct comparison *comparison) {
    comparison->seeker = s;
    bh_state_diff(chip_of(s, 0), chip_of(s, 1), tile, s->values ? BH_DIFF_VALUES : 0, compare_add, comparison);
    return comparison->list.total;
}

bool compare_chips_differ(const struct seeker *s) {
    struct comparison comparison = { .most = 1, .stop = true };
    bool result = compare(s, NULL, &comparison);
    free(comparison.list.item);
    return result;
}

bool compare_ignore_host(struct seeker *s) {
    struct comparison comparison = { .most = SIZE_MAX };
    struct result *r = s->result;
    bool some = compare(s, NULL, &comparison);
    size_t count = s->ignored_count + comparison.list.count;
    struct bh_difference *all = some ? realloc(s->ignored, count * sizeof *all) : NULL;
    if (some && all) {
        memcpy(all + s->ignored_count, comparison.list.item, comparison.list.count * sizeof *all);
        qsort(all, count, sizeof *all, by_position);
        s->ignored = all;
        s->ignored_count = count;
        r->inputs_differ = true;
        r->inputs.total += comparison.list.total;
        if (!r->inputs.item) {
            r->inputs.item = comparison.list.item;
            r->inputs.count = comparison.list.count < s->listed ? comparison.list.count : s->listed;
            comparison.list.item = NULL;
        }
    }
    free(comparison.list.item);
    return (!some || all) && !comparison.no_memory ? true : seek_fail(s, "out of memory");
}
