/* Circular buffers: where they are, and who counts their pages. The rules of hazard/hazard.h, one at a time, without a
 * chip. */
#include "stage.h"

#include <string.h>

/* Addresses of a firmware's mailbox and of what its launch message describes. */
enum { LAUNCH = 0x70, LAUNCH_SIZE = 64, INDEX = 0x60, CONFIG = 0x400, CBS_AT = 0x20, STREAM = 8, KIT = 0x3000 };
enum { PAGE = 64, PAGES = 2, TAKEN_AT = 4 * 8, PUT_IN_AT = 4 * 10 };

static const struct bh_check_firmware firmware = {
    .start = { [BH_TRISC0] = 0x6000, [BH_TRISC1] = 0x7000, [BH_TRISC2] = 0x8000, [BH_NCRISC] = 0x5000 },
    .sync = 0x50,
    .sync_count = 4,
    .go = 0x54,
    .go_count = 2,
    .launch = LAUNCH,
    .launch_size = LAUNCH_SIZE,
    .launch_count = 8,
    .launch_index = INDEX,
    .config_base = 0,
    .cb_offset = 4,
    .cb_mask = 8,
    .cb_mask_size = 8,
    .cb_count = 32,
    .cb_stream = STREAM,
};

static uint8_t l1[L1_SIZE];

static void put(uint32_t address, uint32_t value) {
    memcpy(l1 + address, &value, sizeof value); /* as the chip, this host is little-endian */
}

static void describe(unsigned buffer, uint32_t address, uint32_t pages) {
    uint32_t at = CONFIG + CBS_AT + 16 * buffer, message = LAUNCH + LAUNCH_SIZE * 3;
    uint32_t words[] = { address, pages * PAGE, pages, PAGE };
    memcpy(l1 + at, words, sizeof words);
    l1[message + 8 + buffer / 8] |= (uint8_t)(1u << buffer % 8);
}

static void start_all(struct stage *s) {
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        hazard_core_starts(s->near, core, firmware.start[core]);
}

/* A tile with two buffers, 0 and 9; the fourth message of the ring counts. */
static struct stage begin_with_buffers(void) {
    struct stage s = begin();
    memset(l1, 0, sizeof l1);
    put(INDEX, 3);
    put(LAUNCH + LAUNCH_SIZE * 3, CONFIG);
    put(LAUNCH + LAUNCH_SIZE * 3 + 4, CBS_AT);
    describe(0, BUFFER, PAGES);
    describe(9, BUFFER + PAGES * PAGE, PAGES);
    s.near->l1 = l1;
    hazard_begin_counts(s.near, true);
    assert_true(hazard_search_firmware(s.search, &firmware));
    start_all(&s);
    return s;
}

static void write_count(struct stage *s, unsigned core, unsigned buffer, uint32_t at, uint32_t value) {
    step(s, s->near, core);
    struct hazard_actor actor = hazard_core_as(s->near, core, HAZARD_CORE);
    actor.knows = hazard_core_clock(s->near, core);
    hazard_stream_written(s->near, (STREAM + buffer) * 0x1000 + at, value, &actor);
}

static void read_count(struct stage *s, unsigned core, unsigned buffer, uint32_t at) {
    step(s, s->near, core);
    hazard_stream_read(s->near, core, (STREAM + buffer) * 0x1000 + at);
}

static void end_with_verdict(struct stage *s, enum bh_hazard_kind kind, enum bh_verdict verdict) {
    assert_int_equal(hazard_search_count(s->search), 1);
    assert_int_equal(hazard_search_at(s->search, 0)->verdict, verdict);
    end_with(s, kind);
}

static void buffer_at(const struct stage *s, uint32_t address, const char *expected) {
    char text[120];
    hazard_name_buffers(s->near, address, text, sizeof text);
    assert_string_equal(text, expected);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static void buffers_have_names(void **state) {
    (void)state;
    struct stage s = begin_with_buffers();
    buffer_at(&s, BUFFER - 1, "");
    buffer_at(&s, BUFFER, "circular buffer 0, page 0 of 2");
    buffer_at(&s, BUFFER + PAGE, "circular buffer 0, page 1 of 2");
    buffer_at(&s, BUFFER + 2 * PAGE, "circular buffer 9, page 0 of 2");
    buffer_at(&s, BUFFER + 4 * PAGE, "");
    describe(1, BUFFER, 3 * PAGES);
    buffer_at(&s, BUFFER + 2 * PAGE, "circular buffer 1, page 2 of 6 and circular buffer 9, page 0 of 2");
    end_silent(&s);
}

static void descriptions_beyond_l1_are_none(void **state) {
    (void)state;
    struct stage s = begin_with_buffers();
    describe(0, BUFFER, 0x10000000);
    buffer_at(&s, BUFFER, "");
    put(LAUNCH + LAUNCH_SIZE * 3, 0xFFFFFFF0);
    buffer_at(&s, BUFFER + 2 * PAGE, "");
    put(INDEX, 0xFFFFFFFF); /* the eighth message of the ring */
    buffer_at(&s, BUFFER + 2 * PAGE, "");
    end_silent(&s);
}

static void other_firmware_is_not_read(void **state) {
    (void)state;
    struct stage s = begin_with_buffers();
    hazard_core_starts(s.near, BH_TRISC2, 0x8004);
    buffer_at(&s, BUFFER, "");
    hazard_core_starts(s.near, BH_TRISC2, 0x8000);
    buffer_at(&s, BUFFER, "circular buffer 0, page 0 of 2");
    end_silent(&s);
}

static void a_race_names_its_buffer(void **state) {
    (void)state;
    struct stage s = begin_with_buffers();
    store(&s, s.near, BH_BRISC, BUFFER + PAGE);
    use(&s, 0, HAZARD_UNPACK0, HAZARD_DST, HAZARD_READS);
    hazard_unit_access(s.near, 0, HAZARD_UNPACK0, HAZARD_L1, BUFFER + PAGE, 64, HAZARD_READS);
    assert_int_equal(hazard_search_count(s.search), 1);
    assert_string_equal(hazard_search_at(s.search, 0)->buffer, "circular buffer 0, page 1 of 2");
    hazard_search_free(s.search);
}

static void firmware_notes_ends(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        static const uint32_t at[] = { 0x53, 0x57, 0x5B, 0x56 }; /* the last is not the byte that counts */
        struct stage s = begin_with_buffers();
        struct hazard_request_made made = { .core = BH_BRISC, .agent = HAZARD_READ, .answered = true };
        step(&s, s.near, BH_BRISC);
        hazard_request_begins(s.near, &made);
        step(&s, s.near, BH_BRISC);
        hazard_core_stores(s.near, BH_BRISC, at[i], 1, 0);
        if (i < 3)
            end_with_verdict(&s, BH_HAZARD_AT_END, BH_VERDICT_LATENT);
        else
            end_silent(&s);
    }
}

/* ---- Counts ------------------------------------------------------------------------------------------------------ */

static void pages_are_taken_behind_a_look(void **state) {
    (void)state;
    for (unsigned looks = 0; looks < 3; looks++) {
        struct stage s = begin_with_buffers();
        write_count(&s, BH_NCRISC, 0, PUT_IN_AT, 1);
        if (looks) /* at the own count, too: that tells nothing */
            read_count(&s, BH_BRISC, 0, looks == 2 ? PUT_IN_AT : TAKEN_AT);
        write_count(&s, BH_BRISC, 0, TAKEN_AT, 1);
        if (looks == 2)
            end_silent(&s);
        else
            end_with_verdict(&s, BH_HAZARD_CB_COUNT, BH_VERDICT_RACE);
    }
}

static void pages_are_put_in_where_there_is_room(void **state) {
    (void)state;
    for (unsigned looks = 0; looks < 2; looks++) {
        struct stage s = begin_with_buffers();
        write_count(&s, BH_NCRISC, 0, PUT_IN_AT, PAGES); /* needs no look */
        read_count(&s, BH_BRISC, 0, PUT_IN_AT);
        write_count(&s, BH_BRISC, 0, TAKEN_AT, 1);
        if (looks)
            read_count(&s, BH_NCRISC, 0, TAKEN_AT);
        write_count(&s, BH_NCRISC, 0, PUT_IN_AT, PAGES + 1);
        if (looks)
            end_silent(&s);
        else
            end_with_verdict(&s, BH_HAZARD_CB_COUNT, BH_VERDICT_RACE);
    }
}

static void what_is_taken_too_early_is_put_in_later_or_never(void **state) {
    (void)state;
    for (unsigned later = 0; later < 2; later++) {
        struct stage s = begin_with_buffers();
        write_count(&s, BH_BRISC, 0, TAKEN_AT, 1);
        assert_int_equal(hazard_search_count(s.search), 1);
        if (later)
            write_count(&s, BH_NCRISC, 0, PUT_IN_AT, 1);
        end_with_verdict(&s, BH_HAZARD_CB_COUNT, later ? BH_VERDICT_RACE : BH_VERDICT_SUSPECT);
    }
}

static void two_that_take_pages_tell_each_other(void **state) {
    (void)state;
    for (unsigned tells = 0; tells < 2; tells++) {
        struct stage s = begin_with_buffers();
        write_count(&s, BH_NCRISC, 0, PUT_IN_AT, PAGES);
        read_count(&s, BH_BRISC, 0, PUT_IN_AT);
        write_count(&s, BH_BRISC, 0, TAKEN_AT, 1);
        if (tells)
            store(&s, s.near, BH_BRISC, FLAG);
        if (tells)
            load(&s, s.near, BH_TRISC0, FLAG);
        read_count(&s, BH_TRISC0, 0, PUT_IN_AT);
        write_count(&s, BH_TRISC0, 0, TAKEN_AT, 2);
        if (tells)
            end_silent(&s);
        else
            end_with_verdict(&s, BH_HAZARD_CB_SHARED, BH_VERDICT_RACE);
    }
}

static void counts_begin_anew_with_zero(void **state) {
    (void)state;
    struct stage s = begin_with_buffers();
    hazard_begin_counts(s.near, false); /* what came before the check is not known */
    write_count(&s, BH_BRISC, 0, TAKEN_AT, 70);
    write_count(&s, BH_NCRISC, 0, PUT_IN_AT, 90);
    write_count(&s, BH_TRISC0, 0, TAKEN_AT, 0);
    write_count(&s, BH_TRISC0, 0, PUT_IN_AT, 0);
    write_count(&s, BH_TRISC0, 0, PUT_IN_AT, 2); /* another producer than before */
    assert_int_equal(hazard_search_count(s.search), 0);
    write_count(&s, BH_TRISC0, 0, PUT_IN_AT, 3);
    end_with_verdict(&s, BH_HAZARD_CB_COUNT, BH_VERDICT_SUSPECT);
}

/* Counts of threads have 16 bits. */
static void counts_wrap(void **state) {
    (void)state;
    struct stage s = begin_with_buffers();
    for (uint32_t i = 1; i <= 0x10001; i++) {
        write_count(&s, BH_TRISC0, 0, PUT_IN_AT, i & 0xFFFF ? i & 0xFFFF : 0x10000);
        write_count(&s, BH_TRISC0, 0, TAKEN_AT, i & 0xFFFF ? i & 0xFFFF : 0x10000);
    }
    end_silent(&s);
}

/* ---- Pages ------------------------------------------------------------------------------------------------------- */

/* TRISC0 gives a page back, of which BRISC's write may still take bytes. */
static void a_page_is_given_back_behind_all_readers(void **state) {
    (void)state;
    for (unsigned other_page = 0; other_page < 2; other_page++) {
        struct stage s = begin_with_buffers();
        write_count(&s, BH_NCRISC, 0, PUT_IN_AT, PAGES);
        read_count(&s, BH_BRISC, 0, PUT_IN_AT);
        uint32_t source = request(&s, s.near, BH_BRISC, HAZARD_WRITE_SOURCE, 0);
        hazard_request_access(s.near, s.near, 0, HAZARD_WRITE_SOURCE, source, BUFFER + other_page * PAGE, PAGE,
                              HAZARD_READS);
        read_count(&s, BH_TRISC0, 0, PUT_IN_AT);
        write_count(&s, BH_TRISC0, 0, TAKEN_AT, 1);
        if (other_page)
            end_silent(&s);
        else
            end_with_verdict(&s, BH_HAZARD_CB_PAGE, BH_VERDICT_RACE);
    }
}

static void buffers_that_overlap_do_not_hold_pages_together(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct stage s = begin_with_buffers();
        describe(9, BUFFER + (i == 1 ? 0 : PAGE), PAGES); /* a view of the same bytes is none */
        write_count(&s, BH_NCRISC, 0, PUT_IN_AT, 1);
        if (i == 2) {
            read_count(&s, BH_NCRISC, 0, PUT_IN_AT);
            write_count(&s, BH_NCRISC, 0, TAKEN_AT, 1);
        }
        write_count(&s, BH_NCRISC, 9, PUT_IN_AT, 1);
        if (i)
            end_silent(&s);
        else
            end_with_verdict(&s, BH_HAZARD_CB_OVERLAP, BH_VERDICT_SUSPECT);
    }
}

/* ---- Buffers of programs ----------------------------------------------------------------------------------------- */

static void count_in_l1(struct stage *s, unsigned core, uint32_t at, uint32_t value) {
    step(s, s->near, core);
    hazard_core_stores(s->near, core, KIT + at, 4, value);
    put(KIT + at, value);
}

static void a_struct_in_l1_is_a_buffer(void **state) {
    (void)state;
    enum { PUSHED = 12, POPPED = 16 };
    struct stage s = begin_with_buffers();
    assert_true(hazard_kit_buffer(s.near, "in", KIT));
    assert_true(hazard_kit_buffer(s.near, "in", KIT));
    assert_int_equal(s.near->kits, 1);
    buffer_at(&s, BUFFER + 8 * PAGE, "");
    put(KIT, BUFFER + 8 * PAGE);
    put(KIT + 4, PAGE);
    put(KIT + 8, PAGES);
    buffer_at(&s, BUFFER + 9 * PAGE, "circular buffer in, page 1 of 2");
    put(KIT + PUSHED, 7); /* the host has put in what is there */
    put(KIT + POPPED, 6);
    load(&s, s.near, BH_BRISC, KIT + PUSHED);
    count_in_l1(&s, BH_BRISC, POPPED, 7);
    assert_int_equal(hazard_search_count(s.search), 0);
    count_in_l1(&s, BH_BRISC, POPPED, 8);
    assert_string_equal(hazard_search_at(s.search, 0)->place, "circular buffer in");
    end_with_verdict(&s, BH_HAZARD_CB_COUNT, BH_VERDICT_SUSPECT);
}

static void there_is_an_end_to_them(void **state) {
    (void)state;
    struct stage s = begin_with_buffers();
    for (unsigned i = 0; i < HAZARD_KIT_CBS; i++)
        assert_true(hazard_kit_buffer(s.near, "one of many with a long name", KIT + 20 * i));
    assert_false(hazard_kit_buffer(s.near, "one more", 0));
    while (s.search && hazard_search_firmware(s.search, &firmware))
        ;
    end_silent(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_have_names),
        cmocka_unit_test(descriptions_beyond_l1_are_none),
        cmocka_unit_test(other_firmware_is_not_read),
        cmocka_unit_test(a_race_names_its_buffer),
        cmocka_unit_test(firmware_notes_ends),
        cmocka_unit_test(pages_are_taken_behind_a_look),
        cmocka_unit_test(pages_are_put_in_where_there_is_room),
        cmocka_unit_test(what_is_taken_too_early_is_put_in_later_or_never),
        cmocka_unit_test(two_that_take_pages_tell_each_other),
        cmocka_unit_test(counts_begin_anew_with_zero),
        cmocka_unit_test(counts_wrap),
        cmocka_unit_test(a_page_is_given_back_behind_all_readers),
        cmocka_unit_test(buffers_that_overlap_do_not_hold_pages_together),
        cmocka_unit_test(a_struct_in_l1_is_a_buffer),
        cmocka_unit_test(there_is_an_end_to_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
