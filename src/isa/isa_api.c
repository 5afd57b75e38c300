/* The instruction and configuration tables, for users of bhemu.h. */
#include "bhemu.h"
#include "isa/config.h"
#include "isa/tensix.h"

bh_status bh_isa_at(unsigned index, struct bh_isa_row *row) {
    if (!row || index >= TENSIX_ROW_COUNT)
        return BH_ERR_ARGUMENT;
    const struct tensix_row *from = &tensix_rows[index];
    *row = (struct bh_isa_row){
        .opcode = from->opcode,
        .implemented = from->implemented,
        .occupancy = from->occupancy,
        .latency = from->latency,
        .field_count = from->field_count,
        .fields = from->fields,
        .name = from->name,
        .unit = tensix_unit_text((enum tensix_unit)from->unit),
        .gate = tensix_gate_text((enum tensix_gate)from->gate),
        .page = from->page,
        .meaning = from->meaning,
    };
    return BH_OK;
}

bh_status bh_isa_config_at(unsigned index, struct bh_isa_config *field) {
    if (!field || index >= CONFIG_FIELD_COUNT)
        return BH_ERR_ARGUMENT;
    const struct config_field *from = &config_fields[index];
    *field = (struct bh_isa_config){
        .name = from->name,
        .section = from->section,
        .thread = from->thread,
        .word = from->word,
        .shift = from->shift,
        .width = from->width,
    };
    return BH_OK;
}
