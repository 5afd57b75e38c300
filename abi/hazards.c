/* BHEMU_CHECK: reports the hazards of a session like the command line, but without symbols, because a client's programs
 * are only bytes in memory. Circular buffers are named if the client runs tt-metal firmware with a layout that is built
 * in or that BHEMU_LAYOUT describes. */
#include "hazards.h"

#include <stdlib.h>
#include <string.h>

#include "chips.h"
#include "firmware/layout.h"
#include "report/hazard_text.h"
#include "text/file.h"

FILE *hazards_open(const char *value) {
    return strcmp(value, "1") == 0 ? stderr : fopen(value, "a");
}

/* Tells the check about a layout. Returns false if the text is not a valid layout. */
static bool know(bh_chip *chip, const char *text, size_t length, char *message, size_t size) {
    struct ini ini;
    struct layout layout;
    struct bh_check_firmware firmware;
    if (!layout_parse(&ini, text, length, &layout)) {
        snprintf(message, size, "line %u: %s", ini.errors[0].line, ini.errors[0].text);
        return false;
    }
    if (!layout_for_check(&layout, &firmware)) {
        snprintf(message, size, "config_base has to be u32 and local_cb_offset u16");
        return false;
    }
    if (bh_check_firmware(chip, &firmware) == BH_OK)
        return true;
    snprintf(message, size, "%s", bh_message(chip));
    return false;
}

bool hazards_know_firmware(bh_chip *chip, const char *path, char *message, size_t size) {
    size_t length;
    bool good = true;
    for (const struct layout_text *text = layout_texts; good && text->name; text++)
        good = know(chip, text->text, strlen(text->text), message, size);
    if (!good || !*path)
        return good;
    uint8_t *bytes = file_read(span_of(path), &length, message, size);
    good = bytes && know(chip, (const char *)bytes, length, message, size);
    free(bytes);
    return good;
}

/* Writes the hazards of a chip, and counts them by verdict. */
static bool write_list(FILE *out, const bh_chip *chip, const struct hazard_names *names, size_t *count) {
    struct hazard_list list;
    if (!hazard_list_make(chip, &list))
        return false;
    for (size_t i = 0; i < list.count; i++) {
        hazard_text(out, chip, &list.item[i], names);
        count[list.item[i].verdict]++;
    }
    free(list.item);
    return true;
}

static bool write_all(FILE *out, bh_chip *const *chip, unsigned chips, bool named) {
    size_t count[CHIPS_MAX][BH_VERDICT_COUNT] = { { 0 } };
    bool checked[CHIPS_MAX], ok = true;
    for (unsigned i = 0; i < chips && ok; i++) {
        struct hazard_names names = { .chip = "" };
        if (named)
            snprintf(names.chip, sizeof names.chip, "chip %u, ", i);
        checked[i] = chip[i] && bh_check_finish(chip[i]) == BH_OK;
        ok = !checked[i] || write_list(out, chip[i], &names, count[i]);
    }
    for (unsigned i = 0; i < chips && ok; i++) {
        char name[20] = "";
        if (named)
            snprintf(name, sizeof name, "chip %u: ", i);
        if (checked[i])
            hazard_totals(out, chip[i], name, count[i], 0);
    }
    return ok;
}

bool hazards_close(FILE *out, bh_chip *const *chip, unsigned chips, bool named, unsigned long long clocks) {
    fprintf(out, "[%llu] BHEMU_CHECK: hazards of the session\n", clocks);
    bool ok = write_all(out, chip, chips, named) && !ferror(out);
    return (out == stderr ? fflush(out) : fclose(out)) == 0 && ok;
}
