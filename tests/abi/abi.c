/* Tests of libttsim.so as its clients use it: loaded by name or from memory, and driven through the ten functions only.
 * abi LIBRARY
 */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "client.h"

/* ---- The library ---------------------------------------------------------------------------------------- */

static const ElfW(Shdr) * section(const uint8_t *file, unsigned type) {
    const ElfW(Ehdr) *header = (const void *)file;
    const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == type)
            return &sections[i];
    return NULL;
}

static void exports_exactly_the_ten(void **state) {
    (void)state;
    int file = open(library, O_RDONLY);
    struct stat info;
    assert_true(file >= 0);
    assert_int_equal(fstat(file, &info), 0);
    const uint8_t *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    assert_true(bytes != MAP_FAILED);
    const ElfW(Shdr) *symbols = section(bytes, SHT_DYNSYM);
    assert_non_null(symbols);
    const ElfW(Shdr) *sections = (const void *)(bytes + ((const ElfW(Ehdr) *)(const void *)bytes)->e_shoff);
    const char *names = (const char *)bytes + sections[symbols->sh_link].sh_offset;
    unsigned count = 0;
    for (size_t i = 0; i < symbols->sh_size / symbols->sh_entsize; i++) {
        const ElfW(Sym) *entry = (const ElfW(Sym) *)(const void *)(bytes + symbols->sh_offset) + i;
        if (entry->st_shndx == SHN_UNDEF || (entry->st_info & 15) == STT_SECTION) /* the latter on some machines */
            continue;
        assert_memory_equal(names + entry->st_name, "libttsim_", 9);
        assert_int_equal(entry->st_info >> 4, STB_GLOBAL); /* a unique one would keep the library loaded */
        count++;
    }
    assert_int_equal(count, 10);
    munmap((void *)(uintptr_t)bytes, (size_t)info.st_size);
    close(file);
    struct ttsim abi = load();
    assert_null(dlsym(abi.library, "libttsim_create_device_by_id"));
    assert_null(dlsym(abi.library, "bh_create"));
    close_abi(&abi);
}

static void ids_and_bars(void **state) {
    (void)state;
    struct ttsim abi = load();
    abi.init();
    assert_int_equal(abi.config_read(0, 0), 0xB1401E52);
    assert_int_equal(abi.config_read(0, 8), 0x12000000);
    assert_int_equal(abi.config_read(1 << 3, 0), 0xFFFFFFFF);
    assert_int_equal(abi.config_read(0, 0x10), 0x00000004);
    assert_int_equal(abi.config_read(0, 0x14), 1);
    abi.config_write(0, 0x18, 0xFFFFFFFF);
    assert_int_equal(abi.config_read(0, 0x18), 0xFFF00004);
    abi.exit();
    close_abi(&abi);
}

static void windows(void **state) {
    (void)state;
    struct ttsim abi = load();
    uint32_t value = 0;
    abi.init();
    write32(&abi, 1, 2, 0x1230, 0xABCDEF01);
    assert_int_equal(read32(&abi, 1, 2, 0x1230), 0xABCDEF01);
    write32(&abi, 17, 12, HIGH_IN_BANK, 0x1111);
    assert_int_equal(read32(&abi, 17, 14, HIGH_IN_BANK), 0x1111);
    write32(&abi, 0, 0, 0x20, 0x2222); /* raw */
    assert_int_equal(read32(&abi, 17, 13, 0x20), 0x2222);
    assert_int_equal(read32(&abi, 1, 2, 0xFFB20044), 0x10611081);
    assert_int_equal(read32(&abi, 20, 25, 0xFFB20148), 0x654);
    assert_int_equal(read32(&abi, 16, 11, 0xFFB121B0), 0x47800);
    abi.tile_read(1, 2, 0x1230, &value, 4);
    assert_int_equal(value, 0xABCDEF01);
    value = 5;
    abi.tile_write(16, 11, 0x17FFFC, &value, 4);
    assert_int_equal(read32(&abi, 16, 11, 0x17FFFC), 5);
    abi.exit();
    close_abi(&abi);
}

static uint32_t tile_read32(const struct ttsim *abi, unsigned x, unsigned y, uint64_t address) {
    uint32_t value = 0;
    abi->tile_read(x, y, address, &value, 4);
    return value;
}

static void programs_run(void **state) {
    (void)state;
    struct ttsim abi = load();
    abi.init();
    start_program(&abi, 7, 7);
    assert_int_equal(tile_read32(&abi, 7, 7, 0x100), 0);
    abi.clock(1);
    assert_int_equal(tile_read32(&abi, 7, 7, 0x100), 0x55);
    abi.exit();
    close_abi(&abi);
}

/* tt-umd's DeassertResetBrisc: release, then one read by the bus and no clock. */
static void a_read_comes_after_what_was_written(void **state) {
    (void)state;
    struct ttsim abi = load();
    abi.init();
    start_program(&abi, 7, 7);
    assert_int_equal(read32(&abi, 7, 7, 0x100), 0x55);
    abi.exit();
    close_abi(&abi);
}

/* A read takes time only after a register was written, and only once. */
static void reads_alone_take_no_time(void **state) {
    (void)state;
    static const uint32_t counter[] = { 0x00128293, 0x10502023, 0xFF9FF06F }; /* addi t0; sw t0, 0x100; loop */
    struct ttsim abi = load();
    abi.init();
    for (unsigned i = 0; i < 3; i++)
        write32(&abi, 7, 7, 4 * i, counter[i]);
    write32(&abi, 7, 7, 0xFFB121B0, 0x47000);
    uint32_t first = read32(&abi, 7, 7, 0x100);
    assert_int_not_equal(first, 0);
    write32(&abi, 7, 7, 0x200, 1); /* not a register */
    assert_int_equal(read32(&abi, 7, 7, 0x100), first);
    abi.clock(1);
    uint32_t second = read32(&abi, 7, 7, 0x100);
    assert_true(second > first);
    write32(&abi, 7, 7, 0xFFB121B0, 0x47800); /* nothing runs any more */
    assert_int_equal(read32(&abi, 7, 7, 0x100), second);
    abi.exit();
    close_abi(&abi);
}

/* The first thing that tt-umd's tests run on every tile: stores to words of tile control that no document names. */
static void the_program_that_starts_tt_umd_tests(void **state) {
    (void)state;
    static const uint32_t program[] = {
        0xFFB127B7, 0x00700713, 0x28E7A223, 0x00100713, 0x28E7A623, 0x26F7AC23, /* lui; 0x284 = 7; 0x28C = 1; 0x278 */
        0x26F7AE23, 0x28F7A023, 0x28F7A423, 0x05500293, 0x10502023, 0x0000006F, /* 0x27C, 0x280, 0x288; 0x100 = 0x55 */
    };
    struct ttsim abi = load();
    abi.init();
    for (unsigned i = 0; i < sizeof program / sizeof program[0]; i++)
        write32(&abi, 1, 2, 4 * i, program[i]);
    write32(&abi, 1, 2, 0xFFB121B0, 0x47000);
    abi.clock(1);
    assert_int_equal(read32(&abi, 1, 2, 0x100), 0x55);
    assert_int_equal(read32(&abi, 1, 2, 0xFFB12284), 7);
    abi.exit();
    close_abi(&abi);
}

static void host_memory_by_callbacks(void **state) {
    (void)state;
    struct ttsim abi = load();
    uint32_t word = 0x80000000;
    abi.callbacks(dma_read, dma_write);
    abi.init();
    write32(&abi, 19, 24, UINT64_C(0x1000000000000040), 0x5150); /* no region: identity */
    assert_memory_equal(host_memory + 0x40, "\x50\x51\0\0", 4);
    uint32_t limit = 0xFFF, target = 0x8000;
    abi.write(BAR2 + 0x1010, &limit, 4);
    abi.write(BAR2 + 0x1014, &target, 4);
    abi.write(BAR2 + 0x1004, &word, 4);
    write32(&abi, 19, 24, UINT64_C(0x1000000000000040), 0x6160);
    assert_memory_equal(host_memory + 0x8040, "\x60\x61\0\0", 4);
    assert_int_equal(read32(&abi, 19, 24, UINT64_C(0x1000000000000040)), 0x6160);
    abi.exit();
    close_abi(&abi);
}

/* ---- Life ------------------------------------------------------------------------------------------------ */

/* As tt-umd opens a board: boot status, telemetry, a message to the firmware by the application's queue. */
static void arc_tells_who_it_is_and_answers(void **state) {
    (void)state;
    enum { X = 8, Y = 0, QUEUE = 3 };
    const uint64_t apb = 0x80000000;
    struct ttsim abi = load();
    abi.init();
    assert_int_equal(read32(&abi, X, Y, apb + 0x30408) & 7, 5);

    uint32_t values = read32(&abi, X, Y, apb + 0x30430), table = read32(&abi, X, Y, apb + 0x30434);
    uint32_t count = read32(&abi, X, Y, table + 4), board = 0, columns = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = read32(&abi, X, Y, table + 8 + 4 * i);
        uint32_t value = read32(&abi, X, Y, values + 4 * (entry >> 16));
        board = (entry & 0xFFFF) == 1 ? value : board;
        columns = (entry & 0xFFFF) == 34 ? value : columns;
    }
    assert_int_equal(board >> 4, 0x40); /* P150 */
    assert_int_equal(columns, 0x3FFF);

    uint32_t block = read32(&abi, X, Y, apb + 0x3042C), entries = read32(&abi, X, Y, block + 4) & 0xFF;
    uint32_t queue = read32(&abi, X, Y, block) + QUEUE * (32 + 2 * entries * 32);
    write32(&abi, X, Y, queue + 32, 0x90);
    write32(&abi, X, Y, queue + 36, 41);
    write32(&abi, X, Y, queue, 1);
    write32(&abi, X, Y, apb + 0x30100, 1 << 16);
    assert_int_equal(read32(&abi, X, Y, queue + 0x14), 1);
    assert_int_equal(read32(&abi, X, Y, queue + 32 + entries * 32), 0);
    assert_int_equal(read32(&abi, X, Y, queue + 32 + entries * 32 + 4), 42);
    abi.exit();
    close_abi(&abi);
}

/* As tt-metal starts an idle Ethernet core: interrupts off, first pc, out of reset; then it polls for the answer. */
static void an_ethernet_core_runs(void **state) {
    (void)state;
    enum { X = 31, Y = 25, CODE = 0x3000 };
    static const uint32_t program[] = { 0x05500293, 0x10502023, 0x0000006F }; /* as in start_program */
    struct ttsim abi = load();
    abi.init();
    assert_int_equal(read32(&abi, X, Y, 0x7CC00), 0xC0DEA000);
    for (unsigned i = 0; i < 5; i++)
        write32(&abi, X, Y, 0xFFB14020 + 4 * i, 0);
    for (unsigned i = 0; i < 3; i++)
        write32(&abi, X, Y, CODE + 4 * i, program[i]);
    write32(&abi, X, Y, 0xFFB14000, CODE);
    assert_int_equal(read32(&abi, X, Y, 0xFFB121B0), 0x1800);
    write32(&abi, X, Y, 0xFFB121B0, 0x1000);
    for (unsigned i = 0; i < 10 && read32(&abi, X, Y, 0x100) != 0x55; i++)
        abi.clock(1);
    assert_int_equal(read32(&abi, X, Y, 0x100), 0x55);
    abi.exit();
    close_abi(&abi);
}

static void init_exit_init(void **state) {
    (void)state;
    struct ttsim abi = load();
    for (unsigned i = 0; i < 10; i++) {
        abi.init();
        assert_int_equal(read32(&abi, 3, 3, 0x40), 0);
        write32(&abi, 3, 3, 0x40, 1);
        start_program(&abi, 3, 3);
        abi.exit();
    }
    close_abi(&abi);
}

static bool is_loaded(void) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        dlclose(handle);
    return handle != NULL;
}

/* Two clusters of tt-umd in one process: both open the library, the chip is there until both have left. */
static void two_clients_share_the_chip(void **state) {
    (void)state;
    struct ttsim first = load(), second = load();
    first.callbacks(dma_read, dma_write);
    first.init();
    second.callbacks(dma_read, dma_write);
    second.init();
    write32(&first, 3, 3, 0x40, 77);
    assert_int_equal(read32(&second, 3, 3, 0x40), 77);
    first.exit();
    close_abi(&first);
    assert_int_equal(read32(&second, 3, 3, 0x40), 77);
    second.exit();
    second.init();
    assert_int_equal(read32(&second, 3, 3, 0x40), 0);
    second.exit();
    close_abi(&second);
}

static void opened_twice_and_unloaded_without_exit(void **state) {
    (void)state;
    struct ttsim probe = load();
    close_abi(&probe);
    assert_false(is_loaded());
    setenv("BHEMU_THREADS", "3", 1);
    for (unsigned i = 0; i < 3; i++) {
        struct ttsim abi = load(), again = load();
        abi.init();
        assert_int_equal(read32(&again, 3, 3, 0x40), 0); /* the same chip, and fresh every time */
        write32(&abi, 3, 3, 0x40, 1);
        start_program(&abi, 4, 4);
        start_program(&abi, 5, 4);
        abi.clock(10);
        close_abi(&again);
        close_abi(&abi);
        assert_false(is_loaded());
    }
    unsetenv("BHEMU_THREADS");
}

static void copy_file(int to) {
    char buffer[65536];
    int from = open(library, O_RDONLY);
    assert_true(from >= 0);
    for (ssize_t got; (got = read(from, buffer, sizeof buffer)) > 0;)
        assert_int_equal(write(to, buffer, (size_t)got), got);
    close(from);
}

static void loads_from_memory(void **state) {
    (void)state;
    char path[64];
    int file = memfd_create("libttsim", 0);
    assert_true(file >= 0);
    copy_file(file);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct ttsim abi = load_from(path);
    abi.init();
    write32(&abi, 3, 3, 0x40, 77);
    assert_int_equal(read32(&abi, 3, 3, 0x40), 77);
    abi.exit();
    close_abi(&abi);
    close(file);
}

static void clock_once(const struct ttsim *abi) {
    abi->clock(1);
}

static void read_the_id(const struct ttsim *abi) {
    (void)abi->config_read(0, 0);
}

/* Returns the nanoseconds of a call: the best of some rounds, because other work on the host only makes them longer. */
static double cost_of(void (*call)(const struct ttsim *abi), const struct ttsim *abi) {
    enum { ROUNDS = 10, CALLS = 100000 };
    double best = 1e9;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct timespec start, end;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
        for (unsigned i = 0; i < CALLS; i++)
            call(abi);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        double ns = (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
        best = ns / CALLS < best ? ns / CALLS : best;
    }
    return best;
}

/* Nothing is walked over: an idle clock costs about as much as another short call, with or without a sanitizer. */
static void idle_clocks_are_cheap(void **state) {
    (void)state;
    struct ttsim abi = load();
    abi.init();
    double clock = cost_of(clock_once, &abi), read = cost_of(read_the_id, &abi);
    print_message("an idle clock takes %.1f ns, a read of the device's id %.1f ns\n", clock, read);
    assert_true(clock < 20 * read); /* really 1 to 2 times; a walk over the tiles takes at least 50 times as long */
    abi.exit();
    close_abi(&abi);
}

/* ---- Errors ---------------------------------------------------------------------------------------------- */

static void read_nowhere(const struct ttsim *abi) {
    (void)read32(abi, 40, 40, 0x40);
}

static void other_callbacks(const struct ttsim *abi) {
    abi->callbacks(dma_read, dma_write);
}

static void run_into_nothing(const struct ttsim *abi) {
    abi->clock(3);
    write32(abi, 2, 2, 0, 0xFFFFFFFF);
    write32(abi, 2, 2, 0xFFB121B0, 0x47000);
    abi->clock(100);
    printf("alive");
}

static void leave(const struct ttsim *abi) {
    abi->clock(5);
    abi->exit();
}

static void errors_end_the_process_with_one_line(void **state) {
    (void)state;
    char text[500];
    assert_int_equal(in_child(read_nowhere, 1, NULL, text, sizeof text), 1);
    assert_memory_equal(text, "[0] ERROR: UndefinedBehavior: ", 30);
    assert_non_null(strstr(text, "(40,40)"));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_int_equal(in_child(other_callbacks, 1, NULL, text, sizeof text), 1);
    assert_non_null(strstr(text, "others than before"));
    assert_int_equal(in_child(run_into_nothing, 1, NULL, text, sizeof text), 1);
    assert_memory_equal(text, "[4] ERROR: UndefinedBehavior: ", 30);
    assert_non_null(strstr(text, "(2,2)"));
    assert_null(strstr(text, "alive"));
}

static void faults_may_stop_the_core_only(void **state) {
    (void)state;
    char text[500];
    assert_int_equal(in_child(run_into_nothing, 1, "BHEMU_ON_FAULT=stop", text, sizeof text), 0);
    assert_string_equal(text, "alive");
    assert_int_equal(in_child(run_into_nothing, 2, "BHEMU_ON_FAULT=stop", text, sizeof text), 0);
    assert_memory_equal(text, "[4] ERROR: ", 11);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* once */
    assert_int_equal(in_child(read_nowhere, 1, "BHEMU_ON_FAULT=perhaps", text, sizeof text), 1);
    assert_non_null(strstr(text, "BHEMU_ON_FAULT=perhaps"));
}

/* BRISC waits for a mailbox that stays empty. */
static void wait_for_ever(const struct ttsim *abi) {
    write32(abi, 2, 2, 0, 0xFFEC1537); /* lui a0, 0xFFEC1 */
    write32(abi, 2, 2, 4, 0x00052503); /* lw a0, 0(a0) */
    write32(abi, 2, 2, 0xFFB121B0, 0x47000);
    for (unsigned i = 0; i < 20000; i++)
        abi->clock(1);
    abi->clock(1000000);
    printf("alive");
}

static void a_deadlock_is_told_once(void **state) {
    (void)state;
    char text[500];
    assert_int_equal(in_child(wait_for_ever, 1, NULL, text, sizeof text), 0);
    assert_string_equal(text, "alive");
    assert_int_equal(in_child(wait_for_ever, 2, NULL, text, sizeof text), 0);
    assert_non_null(strstr(text, "] WARNING: Deadlock: "));
    assert_non_null(strstr(text, "\ntile 2,2: brisc at pc 0x4, lw a0,0(a0): blocked: "));
    assert_ptr_equal(strstr(text, "WARNING"), strchr(text, 'W'));
    assert_null(strstr(strstr(text, "WARNING") + 1, "WARNING"));
}

static void exit_prints_one_line(void **state) {
    (void)state;
    char text[500];
    assert_int_equal(in_child(leave, 1, NULL, text, sizeof text), 0);
    assert_memory_equal(text, "[5] ", 4);
    assert_non_null(strstr(text, "seconds"));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void boards(void **state) {
    (void)state;
    struct ttsim abi = load();
    setenv("BHEMU_BOARD", "p100a", 1);
    abi.init();
    assert_int_equal(read32(&abi, 14, 2, 0xFFB20044) & 0xFFF, 0x90); /* x = 16: two columns are gone before it */
    abi.exit();
    unsetenv("BHEMU_BOARD");
    close_abi(&abi);
    char text[500];
    assert_int_equal(in_child(read_nowhere, 1, "BHEMU_BOARD=p9000", text, sizeof text), 1);
    assert_non_null(strstr(text, "BHEMU_BOARD=p9000"));
}

static int tasks(void) {
    int count = 0;
    DIR *dir = opendir("/proc/self/task");
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void *do_nothing(void *argument) {
    return argument;
}

/* All tiles count for ever. Returns the number of host threads that run them. */
static void keep_tiles_busy(const struct ttsim *abi) {
    static const uint32_t program[] = { 0x00128293, 0x10502023, 0xFF9FF06F };
    pthread_t thread; /* the first one may bring others along, of sanitizers */
    assert_int_equal(pthread_create(&thread, NULL, do_nothing, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    int before = tasks();
    for (unsigned x = 1; x <= 7; x++)
        for (unsigned y = 2; y <= 11; y++) {
            for (unsigned i = 0; i < 3; i++)
                write32(abi, x, y, 4 * i, program[i]);
            write32(abi, x, y, 0xFFB121B0, 0x47000);
        }
    abi->clock(100);
    printf("%d more", tasks() - before);
}

static void threads_as_asked(void **state) {
    static const char *const wrong[] = { "BHEMU_THREADS=0", "BHEMU_THREADS=65", "BHEMU_THREADS=-1",
                                         "BHEMU_THREADS=two" };
    (void)state;
    char text[500], all[32];
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    snprintf(all, sizeof all, "%d more", (CPU_COUNT(&allowed) < 64 ? CPU_COUNT(&allowed) : 64) - 1);
    assert_int_equal(in_child(keep_tiles_busy, 1, "BHEMU_THREADS=all", text, sizeof text), 0);
    assert_string_equal(text, all);
    assert_int_equal(in_child(keep_tiles_busy, 1, NULL, text, sizeof text), 0);
    assert_string_equal(text, "0 more");
    assert_int_equal(in_child(keep_tiles_busy, 1, "BHEMU_THREADS=1", text, sizeof text), 0);
    assert_string_equal(text, "0 more");
    assert_int_equal(in_child(keep_tiles_busy, 1, "BHEMU_THREADS=4", text, sizeof text), 0);
    assert_string_equal(text, "3 more");
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(in_child(read_nowhere, 1, wrong[i], text, sizeof text), 1);
        assert_non_null(strstr(text, wrong[i]));
    }
}

/* Inline data for L1, which silicon may hang on. */
static void send_inline_data(const struct ttsim *abi) {
    static const struct {
        uint32_t offset, value;
    } store[] = { { 0, 0x1000 }, { 8, 3 | 2 << 6 }, { 0x1C, 0xA }, { 0x20, 0xF }, { 0x28, 5 }, { 0x40, 1 } };
    for (unsigned i = 0; i < sizeof store / sizeof store[0]; i++)
        write32(abi, 2, 2, 0xFFB20000 + store[i].offset, store[i].value);
    abi->clock(10);
    printf("%u", read32(abi, 3, 2, 0x1000));
}

static void what_is_unsafe_is_told(void **state) {
    (void)state;
    char text[500];
    assert_int_equal(in_child(send_inline_data, 1, NULL, text, sizeof text), 0);
    assert_string_equal(text, "5");
    assert_int_equal(in_child(send_inline_data, 2, NULL, text, sizeof text), 0);
    assert_non_null(strstr(text,
                           "] WARNING: UndefinedBehavior: tile (2,2): NoC 0, command buffer 0 of tile (2,2): inline "
                           "write to 0x1000 of tile (3,2), 4 bytes: inline data to L1 is not safe"));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exports_exactly_the_ten),
        cmocka_unit_test(ids_and_bars),
        cmocka_unit_test(windows),
        cmocka_unit_test(programs_run),
        cmocka_unit_test(a_read_comes_after_what_was_written),
        cmocka_unit_test(reads_alone_take_no_time),
        cmocka_unit_test(the_program_that_starts_tt_umd_tests),
        cmocka_unit_test(host_memory_by_callbacks),
        cmocka_unit_test(arc_tells_who_it_is_and_answers),
        cmocka_unit_test(an_ethernet_core_runs),
        cmocka_unit_test(init_exit_init),
        cmocka_unit_test(two_clients_share_the_chip),
        cmocka_unit_test(opened_twice_and_unloaded_without_exit),
        cmocka_unit_test(loads_from_memory),
        cmocka_unit_test(idle_clocks_are_cheap),
        cmocka_unit_test(errors_end_the_process_with_one_line),
        cmocka_unit_test(faults_may_stop_the_core_only),
        cmocka_unit_test(a_deadlock_is_told_once),
        cmocka_unit_test(exit_prints_one_line),
        cmocka_unit_test(boards),
        cmocka_unit_test(threads_as_asked),
        cmocka_unit_test(what_is_unsafe_is_told),
    };
    if (count < 2) {
        fprintf(stderr, "usage: abi LIBRARY\n");
        return 2;
    }
    library = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
