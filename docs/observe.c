/* The example of the docs: observes two words of a Tensix thread. Prints which agents were busy, and every event. */
#include <bhemu.h>
#include <stdio.h>

static void on_event(void *user, const struct bh_event *event) {
    (void)user;
    printf("%4llu..%llu %s: %s%s\n", (unsigned long long)event->start, (unsigned long long)event->end,
           bh_track_name(event->track), event->kind == BH_EVENT_WAIT ? "waits for " : "", event->name);
}

int main(void) {
    /* SETDMAREG, SEMWAIT for semaphore 0, and SETDMAREG again, which has to wait; then ebreak. */
    static const uint32_t program[] = { 0x14001451, 0x9BFE0016, 0x14001451, 0x00100073 };
    const struct bh_xy tile = { 1, 2 };
    struct bh_config config;
    struct bh_track_stats stats;
    struct bh_stall stall;
    bh_chip *chip;

    bh_config_init(&config);
    if (bh_create(&config, &chip, NULL, 0) != BH_OK)
        return 1;
    bh_observe(chip, BH_WATCH_STATS | BH_WATCH_EVENTS, on_event, NULL);
    bh_load_raw(chip, tile, BH_TRISC0, 0x6000, program, sizeof program);
    bh_release(chip, tile, 1u << BH_TRISC0);
    bh_run(chip, 100, 0, NULL);
    bh_observe_flush(chip);

    bh_stats_get(chip, tile, BH_TRACK_T0, &stats);
    printf("T0: %llu instructions, %llu cycles held\n", (unsigned long long)stats.instructions,
           (unsigned long long)stats.stalled);
    for (unsigned i = 0; bh_stall_at(chip, tile, BH_TRACK_T0, i, &stall) == BH_OK; i++)
        printf("  %llu: %s\n", (unsigned long long)stall.cycles, stall.why);
    bh_destroy(chip);
    return 0;
}
