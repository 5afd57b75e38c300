/* The promises of docs/libttsim.md about threads, memory and files, and the contents of the libraries besides code.
 * promises LIBTTSIM LIBBHEMU [PATTERN] PATTERN: selects tests by name
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "client.h"

static const char *core_library;

/* ---- Calls that ask for memory are counted ------------------------------------------------------------------ */

static bool counting;
static unsigned asked;

#ifndef PLAIN_BUILD /* sanitizers have functions of their own for these */
static const bool is_plain = false;
#else
static const bool is_plain = true;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size) {
    asked += counting;
    return __libc_malloc(size);
}

void *calloc(size_t nmemb, size_t size) {
    asked += counting;
    return __libc_calloc(nmemb, size);
}

void *realloc(void *ptr, size_t size) {
    asked += counting;
    return __libc_realloc(ptr, size);
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset) {
    asked += counting;
    return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset); // NOLINT(performance-no-int-to-ptr)
}
#endif

/* ---- A session ---------------------------------------------------------------------------------------------- */

/* Every tile of the left half counts in L1, for ever. */
static void start_counting(const struct ttsim *abi) {
    static const uint32_t program[] = { 0x00128293, 0x10502023, 0xFF9FF06F };
    for (unsigned x = 1; x <= 7; x++)
        for (unsigned y = 2; y <= 11; y++) {
            for (unsigned i = 0; i < 3; i++)
                write32(abi, x, y, 4 * i, program[i]);
            write32(abi, x, y, 0xFFB121B0, 0x47000);
        }
}

/* Tile 10,2 writes 1 KiB to 11,2 over NoC 0, so many times, by its four command buffers in turn. */
static void send_packets(const struct ttsim *abi, unsigned count) {
    static const struct {
        uint32_t offset, value;
    } store[] = { { 0x00, 0x2000 }, { 0x08, 10 | 2 << 6 }, { 0x0C, 0x3000 }, { 0x14, 11 | 2 << 6 },
                  { 0x1C, 0x12 },   { 0x20, 1024 },        { 0x40, 1 } };
    write32(abi, 10, 2, 0x2000, count);
    for (unsigned k = 0; k < count; k++) {
        for (unsigned i = 0; i < sizeof store / sizeof store[0]; i++)
            write32(abi, 10, 2, 0xFFB20000 + 0x800 * (k % 4) + store[i].offset, store[i].value);
        if (k % 4 == 3)
            abi->clock(1);
    }
    abi->clock(20);
    assert_int_equal(read32(abi, 11, 2, 0x3000), count);
}

/* Host memory by DMA, DRAM, an Ethernet tile, ARC, configuration space. */
static void look_everywhere(const struct ttsim *abi) {
    static const uint8_t at[][2] = { { 1, 2 }, { 17, 12 }, { 20, 25 }, { 8, 0 } };
    for (unsigned i = 0; i < sizeof at / sizeof at[0]; i++)
        (void)read32(abi, at[i][0], at[i][1], i == 3 ? 0x10000100 : 0x100);
    write32(abi, 19, 24, 0x1000, 7);
    assert_int_equal(read32(abi, 19, 24, 0x1000), 7);
    (void)abi->config_read(0, 0);
    (void)abi->config_read(8, 0);
}

static void have_a_session(const struct ttsim *abi) {
    abi->init();
    start_counting(abi);
    abi->clock(50);
    look_everywhere(abi);
    send_packets(abi, 20);
    abi->exit();
}

static struct ttsim load_with_callbacks(void) {
    struct ttsim abi = load();
    abi.callbacks(dma_read, dma_write);
    return abi;
}

/* ---- Threads -------------------------------------------------------------------------------------------------- */

static int tasks(void) {
    DIR *dir = opendir("/proc/self/task");
    int count = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void no_threads_unless_asked_for(void **state) {
    (void)state;
    struct ttsim abi = load_with_callbacks();
    int before = tasks();
    abi.init();
    start_counting(&abi);
    for (unsigned i = 0; i < 10; i++) {
        abi.clock(100);
        assert_int_equal(tasks(), before);
    }
    abi.exit();
    close_abi(&abi);
}

/* ---- Files ---------------------------------------------------------------------------------------------------- */

/* System calls that open something or make a thread or a process. */
static const int refused[] = {
#ifdef __NR_open
    __NR_open,    __NR_creat,  __NR_fork,  __NR_vfork,
#endif
    __NR_openat,  __NR_socket, __NR_clone, __NR_execve, __NR_memfd_create, __NR_unlinkat, __NR_mkdirat,
#ifdef __NR_clone3
    __NR_clone3,
#endif
#ifdef __NR_openat2
    __NR_openat2,
#endif
};

enum { REFUSED = sizeof refused / sizeof refused[0] };

/* From here on each of these ends the process with SIGSYS. */
static bool refuse_calls(void) {
    struct sock_filter code[2 * REFUSED + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0) };
    for (unsigned i = 0; i < REFUSED; i++) {
        code[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refused[i], 0, 1);
        code[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    code[2 * REFUSED + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = { sizeof code / sizeof code[0], code };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { NOT_HERE = 77 };

/* In a child, in which nothing may be opened any more. Returns how it ended. */
static int confined(void (*work)(const struct ttsim *)) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct ttsim abi = load_with_callbacks();
        if (!refuse_calls())
            _Exit(NOT_HERE);
        work(&abi);
        _Exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void open_something(const struct ttsim *abi) {
    (void)abi;
    (void)open("/dev/null", O_RDONLY); // NOLINT(android-cloexec-open)
}

static void a_session_opens_nothing(void **state) {
    (void)state;
    int status = confined(open_something);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_HERE)
        skip();
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS); /* it would be noticed */
    if (!is_plain)                                                  /* sanitizers open files of their own */
        skip();
    status = confined(have_a_session);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- Memory --------------------------------------------------------------------------------------------------- */

/* Only packets in flight need more memory than init, and memory is kept once allocated. */
static void memory_is_asked_for_by_init_and_for_packets(void **state) {
    (void)state;
    if (!is_plain)
        skip();
    struct ttsim abi = load_with_callbacks();
    counting = true;
    abi.init();
    assert_true(asked > 0);
    asked = 0;
    start_counting(&abi);
    look_everywhere(&abi);
    abi.clock(1000);
    look_everywhere(&abi);
    assert_int_equal(asked, 0);
    send_packets(&abi, 200);
    asked = 0;
    send_packets(&abi, 200);
    assert_int_equal(asked, 0);
    counting = false;
    abi.exit();
    close_abi(&abi);
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

static int copy_of_library(void) {
    static char buffer[1 << 16];
    int to = memfd_create("libttsim", 0), from = open(library, O_RDONLY); // NOLINT(android-cloexec-open)
    assert_true(to >= 0 && from >= 0);
    for (ssize_t got; (got = read(from, buffer, sizeof buffer)) > 0;)
        assert_int_equal(write(to, buffer, (size_t)got), got);
    close(from);
    return to;
}

/* As tt-umd does it for a cluster of 32: each copy is a chip of its own. */
static void thirty_two_copies_are_chips_of_their_own(void **state) {
    enum { COPIES = 32 };
    struct ttsim abi[COPIES];
    int file[COPIES];
    (void)state;
    for (unsigned i = 0; i < COPIES; i++) {
        char path[64];
        file[i] = copy_of_library();
        snprintf(path, sizeof path, "/proc/self/fd/%d", file[i]);
        abi[i] = load_from(path);
        abi[i].callbacks(dma_read, dma_write);
        abi[i].init();
        write32(&abi[i], 3, 3, 0x40, i);
        start_program(&abi[i], 1, 2);
    }
    for (unsigned i = 0; i < COPIES; i++) {
        abi[i].clock(1 + i);
        assert_int_equal(read32(&abi[i], 1, 2, 0x100), 0x55);
        assert_int_equal(read32(&abi[i], 3, 3, 0x40), i);
    }
    for (unsigned i = 0; i < COPIES; i++) {
        abi[i].exit();
        close_abi(&abi[i]);
        close(file[i]);
    }
}

/* ---- Contents of the files -------------------------------------------------------------------------------------- */

struct sizes {
    size_t thread_local_data, data, bss;
};

static struct sizes sizes_of(const char *path) {
    struct sizes sizes = { 0 };
    struct stat info;
    int file = open(path, O_RDONLY); // NOLINT(android-cloexec-open)
    assert_true(file >= 0 && fstat(file, &info) == 0);
    const uint8_t *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    assert_true(bytes != MAP_FAILED);
    const ElfW(Ehdr) *header = (const void *)bytes;
    const ElfW(Shdr) *sections = (const void *)(bytes + header->e_shoff);
    const char *names = (const char *)bytes + sections[header->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const char *name = names + sections[i].sh_name;
        if (sections[i].sh_flags & SHF_TLS)
            sizes.thread_local_data += sections[i].sh_size;
        else if (strcmp(name, ".data") == 0)
            sizes.data = sections[i].sh_size;
        else if (strcmp(name, ".bss") == 0)
            sizes.bss = sections[i].sh_size;
    }
    munmap((void *)(uintptr_t)bytes, (size_t)info.st_size);
    close(file);
    return sizes;
}

/* The loader has little room for data of threads in libraries that are opened late. The compiler's own code needs a
 * pointer, a flag and what it finds out of the processor; libttsim.so has its one chip besides, libbhemu.so nothing. */
static void nothing_is_static_but_the_one_chip(void **state) {
    enum { START_CODE = 64, THE_CHIP = 112 };
    (void)state;
    if (!is_plain)
        skip();
    struct sizes ours = sizes_of(library), core = sizes_of(core_library);
    assert_int_equal(ours.thread_local_data, 0);
    assert_int_equal(core.thread_local_data, 0);
    assert_in_range(ours.data, 0, START_CODE);
    assert_in_range(core.data, 0, START_CODE);
    assert_in_range(ours.bss, 0, START_CODE + THE_CHIP);
    assert_in_range(core.bss, 0, START_CODE);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_threads_unless_asked_for),
        cmocka_unit_test(a_session_opens_nothing),
        cmocka_unit_test(memory_is_asked_for_by_init_and_for_packets),
        cmocka_unit_test(thirty_two_copies_are_chips_of_their_own),
        cmocka_unit_test(nothing_is_static_but_the_one_chip),
    };
    if (count < 3) {
        fprintf(stderr, "usage: promises LIBTTSIM LIBBHEMU [PATTERN]\n");
        return 2;
    }
    library = arguments[1];
    core_library = arguments[2];
    if (count > 3)
        cmocka_set_test_filter(arguments[3]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
