/* The packer's position in a tile, and edge masks of its rows.
 *
 *     plane (of 16)  --[face set a]--> row set b;  row (of 16)  --[row set b]--> mask c;  column  --[mask c]--> keep
 *
 * All interfaces use a and b of interface 0, since there is one packer. The position counts the rows of Dst that have
 * been read, in eight bits, and becomes zero when it equals pack_reads_per_xy_plane; Last and Flush do not change it.
 * Assumed: a write of PACK_COUNTERS makes it zero, too. tt-llk sets pack_reads_per_xy_plane to 1 for whole tiles, of
 * which four rows are read at a time; for reductions, it sets it to the height of a face, whose masks then have to
 * begin with row 0. Sources: PACR.md (BH), Packers/EdgeMasking.md (WH). */
#include "tensix/tensix.h"

/* Returns one of 16 fields of two bits. */
static unsigned field(uint32_t word, unsigned i) {
    return word >> 2 * (i & 15) & 3;
}

/* Returns the row set of a plane. With Y and Z transposed, the position counts planes. */
static unsigned row_set(const uint32_t *config, unsigned plane) {
    if (!CONFIG_GET(config, PCK_EDGE_TILE_FACE_SET_SELECT_enable))
        return CONFIG_GET(config, PCK_EDGE_TILE_ROW_SET_SELECT_select) & 3;
    unsigned set = CONFIG_GET(config, PCK_EDGE_TILE_FACE_SET_SELECT_select) & 3;
    return field(config[CONFIG_WORD_TILE_FACE_SET_MAPPING_0_face_set_mapping_0 + set],
                 CONFIG_GET(config, DEST_TARGET_REG_CFG_PACK_SEC0_ZOffset) + plane);
}
_Static_assert(CONFIG_WORD_TILE_FACE_SET_MAPPING_3_face_set_mapping_0 ==
                   CONFIG_WORD_TILE_FACE_SET_MAPPING_0_face_set_mapping_0 + 3,
               "");

/* Returns whether any edge mask can apply. Without face sets, one word selects the masks. */
bool pack_has_edges(const uint32_t *config) {
    if (CONFIG_GET(config, PCK_EDGE_TILE_FACE_SET_SELECT_enable))
        return true;
    uint32_t rows = config[CONFIG_WORD_TILE_ROW_SET_MAPPING_0_row_set_mapping_0 + row_set(config, 0)];
    for (unsigned i = 0; i < 16; i++)
        if ((config[CONFIG_WORD_PCK_EDGE_OFFSET_SEC0_mask + field(rows, i)] & UINT16_MAX) != UINT16_MAX)
            return true;
    return false;
}

void pack_edges(const struct pack *pack, const uint32_t *config, struct pack_input *in) {
    bool transposed = CONFIG_GET(config, PACK_COUNTERS_SEC0_pack_yz_transposed);
    uint16_t all = UINT16_MAX;
    for (unsigned i = 0; i < in->rows; i++) {
        unsigned at = pack->position + i, row = transposed ? pack->plane : at, plane = transposed ? at : pack->plane;
        unsigned set = row_set(config, plane);
        unsigned mask = field(config[CONFIG_WORD_TILE_ROW_SET_MAPPING_0_row_set_mapping_0 + set], row);
        in->keep[i] = (uint16_t)config[CONFIG_WORD_PCK_EDGE_OFFSET_SEC0_mask + mask];
        all &= in->keep[i];
    }
    in->masked = all != UINT16_MAX;
}
_Static_assert(CONFIG_WORD_TILE_ROW_SET_MAPPING_3_row_set_mapping_0 ==
                   CONFIG_WORD_TILE_ROW_SET_MAPPING_0_row_set_mapping_0 + 3,
               "");
_Static_assert(CONFIG_WORD_PCK_EDGE_OFFSET_SEC3_mask == CONFIG_WORD_PCK_EDGE_OFFSET_SEC0_mask + 3, "");
