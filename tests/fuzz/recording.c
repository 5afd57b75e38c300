/* Fuzzes the reader of session logs: any bytes must give records that can be written again, or a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "session_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 1 << 16 };

/* Written and read again a record is the same. */
static void check_again(const struct session_record *record) {
    struct session_bytes bytes = { 0 };
    struct session_reader reader;
    struct session_record again;
    session_put_header(&bytes);
    session_put(&bytes, record);
    if (bytes.failed || session_open(&reader, bytes.at, bytes.count, LIMIT) != SESSION_MORE ||
        session_next(&reader, &again) != SESSION_MORE || again.kind != record->kind || again.size != record->size ||
        memcmp(again.number, record->number, sizeof again.number) != 0 ||
        (again.size && memcmp(again.data, record->data, again.size) != 0) || reader.at != reader.end)
        abort();
    session_close(&reader);
    free(bytes.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct session_reader reader;
    struct session_record record;
    enum session_state state = session_open(&reader, data, size, LIMIT);
    while (state == SESSION_MORE && (state = session_next(&reader, &record)) == SESSION_MORE)
        check_again(&record);
    if ((state == SESSION_DONE) != (reader.error[0] == '\0') || reader.at > reader.end)
        abort();
    session_close(&reader);
    return 0;
}
