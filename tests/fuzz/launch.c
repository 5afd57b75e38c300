/* Fuzzes the parsers of launch files and of layouts: any bytes must give a result or messages with lines. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "launch/launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_errors(const struct ini *ini) {
    unsigned kept = ini->error_count < INI_ERRORS_MAX ? ini->error_count : INI_ERRORS_MAX;
    if (kept == 0)
        abort();
    for (unsigned i = 0; i < kept; i++)
        if (ini->errors[i].text[0] == 0 || (i && ini->errors[i].line < ini->errors[i - 1].line))
            abort();
}

static void check_step(const struct launch *launch, size_t index) {
    const struct step *s = &launch->steps[index];
    bool look = s->kind == STEP_DUMP || s->kind == STEP_EXPECT;
    if (s->line == 0 || (look && (s->look.buffer >= index || launch->steps[s->look.buffer].kind != STEP_BUFFER)))
        abort();
    if (s->kind == STEP_BUFFER && (s->buffer.size == 0 || s->buffer.tiles.count > TILES_MAX))
        abort();
    if (s->kind == STEP_PROGRAM && s->program.tiles.count == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ini ini;
    struct launch launch;
    struct layout layout;
    if (!launch_parse(&ini, (const char *)data, size, &launch)) {
        check_errors(&ini);
        if (launch.count || launch.steps)
            abort();
    }
    for (size_t i = 0; i < launch.count; i++)
        check_step(&launch, i);
    launch_free(&launch);
    if (!layout_parse(&ini, (const char *)data, size, &layout))
        check_errors(&ini);
    else if (layout.launch_count == 0 || layout.message[MESSAGE_MODE].offset >= layout.launch_size)
        abort();
    return 0;
}
