/* bhemu info: prints the board, its tiles in all kinds of coordinates, and the address map of a Tensix tile. */
#include <stdio.h>

#include "bhemu.h"
#include "cmd/commands.h"
#include "text/json.h"
#include "machine/machine.h"

enum option_id { OPT_BOARD, OPT_TILES, OPT_MAP, OPT_JSON };

static const struct option options[] = {
    { OPT_BOARD, "board", "p150|p100a", "p150 if not given" },
    { OPT_TILES, "tiles", NULL, "every tile with its coordinates" },
    { OPT_MAP, "map", NULL, "the address map of a Tensix tile" },
    { OPT_JSON, "json", NULL, "everything, as one JSON object" },
    { 0, NULL, NULL, NULL },
};

static const char notes[] = "Examples:\n"
                            "  bhemu info\n"
                            "  bhemu info --board p100a --tiles\n"
                            "  bhemu info --map\n";

/* ---- Text ---------------------------------------------------------------------------------- */

static void print_board(const bh_chip *chip, enum bh_board board) {
    struct bh_tile_info info;
    unsigned live[BH_TILE_KIND_COUNT] = { 0 }, dead[BH_TILE_KIND_COUNT] = { 0 };
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        ++*(info.harvested ? &dead[info.kind] : &live[info.kind]);
    printf("board %s\n", board_name(board));
    for (unsigned kind = 0; kind < BH_TILE_KIND_COUNT; kind++) {
        if (!live[kind] && !dead[kind])
            continue;
        printf("  %-12s %3u", bh_tile_kind_name((enum bh_tile_kind)kind), live[kind]);
        if (dead[kind])
            printf(" and %u harvested", dead[kind]);
        putchar('\n');
    }
}

/* Returns the letter of a tile for the map of physical NoC 0 positions. */
static char tile_letter(const struct bh_tile_info *info) {
    static const char letters[BH_TILE_KIND_COUNT] = "TDEPALS.";
    if (info->harvested)
        return 'x';
    return letters[info->kind];
}

static void print_grid(const bh_chip *chip) {
    char grid[32][33] = { { 0 } };
    unsigned width = 0, height = 0;
    struct bh_tile_info info;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++) {
        if (info.noc0.x >= 32 || info.noc0.y >= 32)
            continue;
        grid[info.noc0.y][info.noc0.x] = tile_letter(&info);
        width = info.noc0.x >= width ? info.noc0.x + 1u : width;
        height = info.noc0.y >= height ? info.noc0.y + 1u : height;
    }
    printf("\nphysical grid (NoC 0):\n     ");
    for (unsigned x = 0; x < width; x++)
        printf("%3u", x);
    putchar('\n');
    for (unsigned y = 0; y < height; y++) {
        printf("  %2u ", y);
        for (unsigned x = 0; x < width; x++)
            printf("  %c", grid[y][x] ? grid[y][x] : ' ');
        putchar('\n');
    }
    puts("  T Tensix  D DRAM  E Ethernet  P PCIe  A ARC  L L2CPU  S security  . router only  x harvested");
}

static void print_tiles(const bh_chip *chip) {
    struct bh_tile_info t;
    printf("\n%-12s %-6s %-10s %-7s %-7s %s\n", "kind", "index", "translated", "noc0", "noc1", "logical");
    for (unsigned i = 0; bh_tile_at(chip, i, &t) == BH_OK; i++) {
        char translated[12], noc0[12], noc1[12], logical[12] = "-";
        snprintf(translated, sizeof translated, "%u,%u", t.translated.x, t.translated.y);
        snprintf(noc0, sizeof noc0, "%u,%u", t.noc0.x, t.noc0.y);
        snprintf(noc1, sizeof noc1, "%u,%u", t.noc1.x, t.noc1.y);
        if (t.logical.x != 255)
            snprintf(logical, sizeof logical, "%u,%u", t.logical.x, t.logical.y);
        printf("%-12s %-6u %-10s %-7s %-7s %s%s\n", bh_tile_kind_name(t.kind), t.index, translated, noc0, noc1, logical,
               t.harvested ? " harvested" : "");
    }
}

static void cores_text(unsigned cores, char text[64]) {
    char *at = text;
    *at = 0;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (cores >> core & 1)
            at +=
                snprintf(at, (size_t)(text + 64 - at), "%s%s", at == text ? "" : " ", bh_core_name((enum bh_core)core));
}

static void print_map(void) {
    struct bh_region r;
    printf("\n%-10s %-10s %-4s %-7s %-32s %s\n", "base", "end", "NoC", "cycles", "region", "cores");
    for (unsigned i = 0; bh_region_at(i, &r) == BH_OK; i++) {
        char cores[64];
        cores_text(r.cores, cores);
        printf("0x%08x 0x%08x %-4s %-7u %-32s %s\n", r.base, r.base + (r.size - 1), r.noc ? "yes" : "no",
               r.load_latency, r.name, r.cores == BH_ALL_CORES ? "all" : cores);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_xy(struct json *j, const char *key, struct bh_xy xy) {
    json_open(j, key, '[');
    json_number(j, NULL, xy.x);
    json_number(j, NULL, xy.y);
    json_close(j, ']');
}

static void json_tiles(struct json *j, const bh_chip *chip) {
    struct bh_tile_info t;
    json_open(j, "tiles", '[');
    for (unsigned i = 0; bh_tile_at(chip, i, &t) == BH_OK; i++) {
        json_open_line(j, NULL, '{');
        json_string(j, "kind", bh_tile_kind_name(t.kind));
        json_number(j, "index", t.index);
        if (t.kind == BH_TILE_DRAM)
            json_number(j, "port", t.port);
        json_bool(j, "harvested", t.harvested);
        json_xy(j, "translated", t.translated);
        json_xy(j, "noc0", t.noc0);
        json_xy(j, "noc1", t.noc1);
        if (t.logical.x != 255)
            json_xy(j, "logical", t.logical);
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

static void json_map(struct json *j) {
    struct bh_region r;
    json_open(j, "map", '[');
    for (unsigned i = 0; bh_region_at(i, &r) == BH_OK; i++) {
        json_open_line(j, NULL, '{');
        json_string(j, "name", r.name);
        json_number(j, "base", r.base);
        json_number(j, "size", r.size);
        json_bool(j, "noc", r.noc);
        json_number(j, "load_latency", r.load_latency);
        json_open(j, "cores", '[');
        for (unsigned core = 0; core < BH_CORE_COUNT; core++)
            if (r.cores >> core & 1)
                json_string(j, NULL, bh_core_name((enum bh_core)core));
        json_close(j, ']');
        json_close_line(j, '}');
    }
    json_close(j, ']');
}

static void print_json(const bh_chip *chip, enum bh_board board) {
    struct json j;
    json_init(&j, stdout);
    json_open(&j, NULL, '{');
    json_string(&j, "version", bh_version());
    json_string(&j, "board", board_name(board));
    json_tiles(&j, chip);
    json_map(&j);
    json_close(&j, '}');
    json_end(&j);
}

struct request {
    struct settings settings;
    bool tiles, map, json;
};

static int parse(struct arguments *a, struct request *r) {
    struct parse_error error;
    for (int id; (id = options_next(a)) != OPTION_END;) {
        switch (id) {
        case OPTION_BAD: return EXIT_USAGE;
        case OPTION_HELP: return -1;
        case OPTION_WORD: return usage_error(a->command, "unexpected '%s'", a->value);
        case OPT_TILES: r->tiles = true; break;
        case OPT_MAP: r->map = true; break;
        case OPT_JSON: r->json = true; break;
        case OPT_BOARD:
            if (!parse_board(span_of(a->value), &r->settings, &error))
                return usage_error(a->command, "--board: %s", error.text);
            break;
        }
    }
    return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv) {
    struct arguments arguments = { .command = command, .argc = argc, .argv = argv };
    struct request r = { 0 };
    struct bh_config config;
    char message[300];
    bh_chip *chip;
    int status = parse(&arguments, &r);
    if (status != EXIT_DONE)
        return status < 0 ? EXIT_DONE : status;
    bh_config_board(&config, r.settings.board);
    if (bh_create(&config, &chip, message, sizeof message) != BH_OK)
        return usage_error(command, "%s", message);
    if (r.json) {
        print_json(chip, r.settings.board);
    } else {
        print_board(chip, r.settings.board);
        if (r.tiles)
            print_tiles(chip);
        if (r.map)
            print_map();
        if (!r.tiles && !r.map)
            print_grid(chip);
    }
    bh_destroy(chip);
    return EXIT_DONE;
}

const struct command command_info = {
    .name = "info",
    .synopsis = "[--board NAME] [--tiles] [--map] [--json]",
    .summary = "show a board: tiles, coordinates, address map",
    .options = options,
    .notes = notes,
    .run = run,
};
