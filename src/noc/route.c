/* Routes through a NoC. The pages: see route.h.
 *
 * Both NoCs move towards larger coordinates of their own and wrap around, so distances are differences modulo the grid.
 * A multicast that does not start inside the span first goes along its major axis to the rectangle, then along the
 * minor axis, and from there along the major axis again: the distance is never longer than that of a unicast.
 *
 * Assumed: where a span wraps around, the excluded quadrant is counted from the start of the span. */
#include "noc/route.h"

#include <string.h>

#include "base/check.h"

enum { TABLE_ENTRIES = 32, ENTRIES_A_WORD = 6, ENTRY_BITS = 5, ENTRY_MASK = 31 };
enum { NO_ENTRY = ENTRY_MASK }; /* beyond the grid in both axes */

/* ---- Multicast ------------------------------------------------------------------------------------------ */

struct axis {
    unsigned start, end, size;
    unsigned keep, skip;
    unsigned corner;
    bool upward; /* the excluded side */
};

static struct axis axis_x(const struct noc_area *area) {
    uint32_t e = area->exclude;
    return (struct axis){
        area->start_x, area->end_x, NOC_WIDTH, e & 3, e >> 2 & 3, e >> 8 & 63, e >> 20 & 1,
    };
}

static struct axis axis_y(const struct noc_area *area) {
    uint32_t e = area->exclude;
    return (struct axis){
        area->start_y, area->end_y, NOC_HEIGHT, e >> 4 & 3, e >> 6 & 3, e >> 14 & 63, e >> 21 & 1,
    };
}

static bool is_strided(const struct axis *axis) {
    return axis->keep && axis->skip;
}

static bool excludes_quadrant(const struct noc_area *area) {
    return area->exclude >> 22 & 1;
}

bool route_leaves_out(const struct noc_area *area) {
    struct axis x = axis_x(area), y = axis_y(area);
    return is_strided(&x) || is_strided(&y) || excludes_quadrant(area);
}

/* Returns whether the position is in the span and the stride keeps it. */
static bool on_axis(const struct axis *axis, unsigned at) {
    unsigned ahead = route_ahead(axis->start, at, axis->size);
    if (ahead > route_ahead(axis->start, axis->end, axis->size))
        return false;
    return !is_strided(axis) || ahead % (axis->keep + axis->skip) < axis->keep;
}

static bool beyond_corner(const struct axis *axis, unsigned at) {
    unsigned corner = axis->corner;
    if (axis->start > axis->end) {
        at = route_ahead(axis->start, at, axis->size);
        corner = route_ahead(axis->start, corner % axis->size, axis->size);
    }
    return axis->upward ? at >= corner : at <= corner;
}

static bool strides_fit(const struct axis *axis) {
    unsigned period = axis->keep + axis->skip;
    return !is_strided(axis) || axis->start <= axis->end || !(period & (period - 1));
}

const char *route_area_check(const struct noc_area *area) {
    struct axis x = axis_x(area), y = axis_y(area);
    if (area->exclude & ~(uint32_t)ROUTE_EXCLUDE_BITS)
        return "BRCST_EXCLUDE: bits 24 to 31 mean nothing";
    if (!strides_fit(&x) || !strides_fit(&y))
        return "BRCST_EXCLUDE: keep + skip must be a power of two on an axis whose span wraps";
    return NULL;
}

/* Returns the positions of an axis for which `is` is true, as bits by position on NoC 0. */
static uint32_t axis_bits(const struct axis *axis, unsigned noc, bool (*is)(const struct axis *, unsigned)) {
    uint32_t bits = 0;
    for (unsigned at = 0; at < axis->size; at++)
        if (is(axis, at))
            bits |= 1u << (noc ? axis->size - 1 - at : at);
    return bits;
}

static void add_row(struct noc_sites *sites, unsigned y, uint32_t columns) {
    unsigned first = y * NOC_WIDTH, shift = first % 64;
    sites->word[first / 64] |= (uint64_t)columns << shift;
    if (shift > 64 - NOC_WIDTH)
        sites->word[first / 64 + 1] |= (uint64_t)columns >> (64 - shift);
}

struct noc_sites route_area(unsigned noc, unsigned from, const struct noc_area *area) {
    struct noc_sites sites = { { 0 } };
    struct axis x = axis_x(area), y = axis_y(area);
    bool excludes = excludes_quadrant(area);
    uint32_t columns = axis_bits(&x, noc, on_axis), rows = axis_bits(&y, noc, on_axis);
    uint32_t out_columns = excludes ? axis_bits(&x, noc, beyond_corner) : 0;
    uint32_t out_rows = excludes ? axis_bits(&y, noc, beyond_corner) : 0;
    for (; rows; rows &= rows - 1) {
        unsigned row = (unsigned)__builtin_ctz(rows);
        add_row(&sites, row, out_rows >> row & 1 ? columns & ~out_columns : columns);
    }
    if (!area->include_source)
        noc_sites_remove(&sites, from);
    return sites;
}

/* ---- Translation ---------------------------------------------------------------------------------------- */

static unsigned entry(const uint32_t *table, unsigned i) {
    return table[i / ENTRIES_A_WORD] >> i % ENTRIES_A_WORD * ENTRY_BITS & ENTRY_MASK;
}

static void set_entry(uint32_t *table, unsigned i, unsigned value) {
    unsigned shift = i % ENTRIES_A_WORD * ENTRY_BITS;
    table[i / ENTRIES_A_WORD] &= ~((uint32_t)ENTRY_MASK << shift);
    table[i / ENTRIES_A_WORD] |= (uint32_t)value << shift;
}

/* Returns whether the column belongs to DRAM tiles, which have tables of their own. */
static bool is_ddr_column(const uint32_t *config, unsigned x) {
    uint32_t last = config[ROUTE_CFG_DDR_TABLE + 5];
    return (x == 9 && (last >> 10 & 1)) || (x == 0 && (last >> 11 & 1));
}

void route_translate(const uint32_t *config, unsigned *x, unsigned *y) {
    unsigned x31 = *x & ENTRY_MASK, y31 = *y & ENTRY_MASK;
    if (!(config[ROUTE_CFG_NIU_0] & ROUTE_TRANSLATE))
        return;
    if ((config[ROUTE_CFG_DDR_SWAP] >> y31 & 1) && is_ddr_column(config, x31 ^ 9))
        *x = x31 ^ 9;
    else if (!(config[ROUTE_CFG_ROW_MASK] >> y31 & 1))
        *x = entry(config + ROUTE_CFG_X_TABLE, x31);
    if (is_ddr_column(config, x31))
        *y = entry(config + ROUTE_CFG_DDR_TABLE, y31);
    else if (!(config[ROUTE_CFG_COL_MASK] >> x31 & 1))
        *y = entry(config + ROUTE_CFG_Y_TABLE, y31);
}

/* ---- Tables of firmware --------------------------------------------------------------------------------- */

static void claim_entry(uint32_t *table, unsigned i, unsigned value) {
    unsigned now = entry(table, i);
    BH_ASSERT(now == NO_ENTRY || now == value);
    set_entry(table, i, value);
}

/* Rows 0 and 1 keep x; every other tile has an entry for its column and one for its row. Columns without Tensix tiles
 * can also be addressed by their numbers on NoC 0. */
static void claim_entries(uint32_t *config, unsigned noc, unsigned site, struct bh_xy translated, bool tensix) {
    unsigned x = route_x(noc, site), y = route_y(noc, site);
    claim_entry(config + ROUTE_CFG_Y_TABLE, route_y(0, site), y);
    if (!tensix && route_y(0, site) > 1)
        claim_entry(config + ROUTE_CFG_X_TABLE, route_x(0, site), x);
    if (translated.y <= 1)
        return;
    claim_entry(config + ROUTE_CFG_X_TABLE, translated.x, x);
    claim_entry(config + ROUTE_CFG_Y_TABLE, translated.y, y);
}

static void opt_out(uint32_t *config, unsigned noc, const struct noc_grid *grid) {
    uint32_t columns = 0, rows = 0;
    for (unsigned site = 0; site < NOC_SITES; site++) {
        if (grid->kind[site] != BH_TILE_TENSIX || grid->dead[site])
            continue;
        columns |= 1u << route_x(noc, site);
        rows |= 1u << route_y(noc, site);
    }
    config[ROUTE_CFG_ROUTER_1] = ~columns & ((1u << NOC_WIDTH) - 1);
    config[ROUTE_CFG_ROUTER_3] = ~rows & ((1u << NOC_HEIGHT) - 1);
}

static void program(uint32_t *config, unsigned noc, const struct noc_grid *grid) {
    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        set_entry(config + ROUTE_CFG_X_TABLE, i, NO_ENTRY);
        set_entry(config + ROUTE_CFG_Y_TABLE, i, NO_ENTRY);
    }
    for (unsigned site = 0; site < NOC_SITES; site++)
        claim_entries(config, noc, site, grid->translated[site], grid->kind[site] == BH_TILE_TENSIX);
    config[ROUTE_CFG_ROW_MASK] = 3;
    config[ROUTE_CFG_NIU_0] |= ROUTE_TRANSLATE;
    opt_out(config, noc, grid);
}

/* The other configuration words are zero. */
static void translate_all(struct noc_grid *grid, unsigned noc) {
    uint32_t config[ROUTE_CFG_DDR_SWAP + 1] = { 0 };
    memcpy(config, grid->firmware[noc], sizeof grid->firmware[noc]);
    for (unsigned at = 0; at < TABLE_ENTRIES * TABLE_ENTRIES; at++) {
        unsigned x = at % TABLE_ENTRIES, y = at / TABLE_ENTRIES;
        uint8_t *site = &grid->site[noc][x | y << 6];
        route_translate(config, &x, &y);
        *site = x < NOC_WIDTH && y < NOC_HEIGHT ? (uint8_t)route_site(noc, x, y) : NOC_NOWHERE;
    }
}

void route_firmware(struct noc_grid *grid) {
    request_measure(grid);
    memset(grid->firmware, 0, sizeof grid->firmware);
    memset(grid->site, NOC_NOWHERE, sizeof grid->site);
    for (unsigned noc = 0; noc < 2; noc++) {
        program(grid->firmware[noc], noc, grid);
        translate_all(grid, noc);
    }
}
