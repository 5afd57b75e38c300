/* Fuzzes the parser of command files: any bytes must give a script or a message with a line, and nothing else. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "script/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct script script;
    struct parse_error error;
    if (!script_parse((const char *)data, size, &script, &error)) {
        if (error.line == 0 || error.text[0] == 0 || script.count)
            abort();
        return 0;
    }
    for (size_t i = 0; i < script.count; i++) {
        const struct action *action = &script.actions[i];
        if (action->tiles.count > TILES_MAX || action->line == 0 ||
            (action->words == NULL) != (action->word_count == 0) || action->inside >= INSIDE_COUNT ||
            (action->inside == INSIDE_NOTHING) != (action->threads == 0))
            abort();
    }
    script_free(&script);
    return 0;
}
