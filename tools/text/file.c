/* Reads and writes whole files: see file.h. */
#include "text/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_SIZE 4096
#define FILE_MAX  (UINT64_C(1) << 32) /* limit for files that never end, such as /dev/zero */

/* Copies the path into a C string for fopen. Returns false and writes a message if that is impossible. */
static bool file_name(struct span path, char name[NAME_SIZE], char *message, size_t message_size) {
    if (path.n >= NAME_SIZE || memchr(path.p, 0, path.n)) {
        snprintf(message, message_size, "file name '%.*s' is too long or malformed", SPAN(path));
        return false;
    }
    memcpy(name, path.p, path.n);
    name[path.n] = 0;
    return true;
}

/* Makes room for more than count bytes. Returns false and sets errno on failure. */
static bool make_room(uint8_t **bytes, size_t count, size_t *capacity) {
    if (count < *capacity)
        return true;
    errno = *capacity < FILE_MAX ? ENOMEM : EFBIG;
    size_t wanted = *capacity ? *capacity * 2 : 65536;
    uint8_t *larger = *capacity < FILE_MAX ? realloc(*bytes, wanted) : NULL;
    if (!larger)
        return false;
    *bytes = larger;
    *capacity = wanted;
    return true;
}

uint8_t *file_read(struct span path, size_t *size, char *message, size_t message_size) {
    char name[NAME_SIZE];
    if (!file_name(path, name, message, message_size))
        return NULL;
    FILE *file = fopen(name, "rb");
    uint8_t *bytes = NULL;
    size_t count = 0, capacity = 0;
    while (file && !ferror(file) && !feof(file) && make_room(&bytes, count, &capacity))
        count += fread(bytes + count, 1, capacity - count, file);
    if (!file || ferror(file) || !feof(file)) {
        snprintf(message, message_size, "cannot read '%s': %s", name, strerror(errno));
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    *size = count;
    return bytes;
}

bool file_write(struct span path, const uint8_t *bytes, size_t size, char *message, size_t message_size) {
    char name[NAME_SIZE];
    if (!file_name(path, name, message, message_size))
        return false;
    FILE *file = fopen(name, "wb");
    bool ok = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file))
        ok = false;
    if (!ok)
        snprintf(message, message_size, "cannot write '%s': %s", name, strerror(errno));
    return ok;
}

static bool same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Finds the folder of a name. Returns false if there is none. */
static bool folder_of(const char *name, struct stat *folder) {
    const char *slash = strrchr(name, '/');
    char path[NAME_SIZE];
    int size = slash ? (int)(slash + 1 - name) : 1;
    if (size >= NAME_SIZE)
        return false;
    snprintf(path, sizeof path, "%.*s", size, slash ? name : ".");
    return stat(path, folder) == 0;
}

static const char *last_part(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

bool file_same(const char *a, const char *b) {
    struct stat of_a, of_b;
    bool a_exists = stat(a, &of_a) == 0, b_exists = stat(b, &of_b) == 0;
    if (a_exists || b_exists)
        return a_exists && b_exists && S_ISREG(of_a.st_mode) && same_inode(&of_a, &of_b);
    return strcmp(last_part(a), last_part(b)) == 0 && folder_of(a, &of_a) && folder_of(b, &of_b) &&
           same_inode(&of_a, &of_b);
}
