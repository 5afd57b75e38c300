/* BHEMU_CHECK: the hazards of a session, as the command line shows them but without symbols: a client's programs are
 * bytes in memory. */
#include "hazards.h"

#include <stdlib.h>
#include <string.h>

#include "report/hazard_text.h"

FILE *hazards_open(const char *value) {
    return strcmp(value, "1") == 0 ? stderr : fopen(value, "a");
}

static void write_list(FILE *out, const bh_chip *chip, const struct hazard_list *list) {
    static const struct hazard_names none;
    size_t count[BH_VERDICT_COUNT] = { 0 };
    for (size_t i = 0; i < list->count; i++) {
        hazard_text(out, &list->item[i], &none);
        count[list->item[i].verdict]++;
    }
    hazard_totals(out, chip, count, 0);
}

bool hazards_close(FILE *out, const bh_chip *chip, unsigned long long clocks) {
    struct hazard_list list;
    bool ok = hazard_list_make(chip, &list);
    fprintf(out, "[%llu] BHEMU_CHECK: hazards of the session\n", clocks);
    if (ok)
        write_list(out, chip, &list);
    free(list.item);
    ok = ok && !ferror(out);
    return (out == stderr ? fflush(out) : fclose(out)) == 0 && ok;
}
