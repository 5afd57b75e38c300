/* Requests that reach a tile over the NoC, by the kind of the tile (Blackhole NoC/MemoryMap.md, tile pages).
 *
 *   Tensix         src/tile; a harvested tile has only its NIUs
 *   Ethernet       like Tensix
 *   DRAM           4 GiB of storage; the NIUs cover 0xFFB2xxxx and 0xFFB3xxxx of it
 *   PCI Express    host memory, or its NIU at the top of the address space
 *   ARC            its memory and registers (arc.c)
 *   all others     their NIU, at the top or at 0xFFB20000 and 0xFFB30000; ARC's is among its registers as well
 *
 * A PCI Express, ARC, L2CPU, security or router-only tile shows its NIU on the NoC of the request. */
#include <string.h>

#include "base/check.h"
#include "chip/chip.h"
#include "tile/eth_firmware.h"
#include "tile/l1.h"

enum { NIU_SIZE = 0x10000 };
enum { ARC_NIU = 0x50000, ARC_NIU_STRIDE = 0x8000 }; /* offset among ARC's registers */
#define NIU_BASE   UINT32_C(0xFFB20000)
#define NIU_TOP    UINT64_C(0xFFFFFFFFFF000000)
#define NIU_TOP_32 UINT32_C(0xFF000000) /* router-only tiles have it, too */

static bh_status refuse(const struct bh_chip *chip, unsigned site, const struct chip_request *request, bh_status status,
                        const char *why) {
    static const char *const verb[] = { "read of", "write to", "peek at", "poke at" };
    const struct bh_tile_info *info = &chip->topology.site[site];
    ((struct bh_chip *)(uintptr_t)chip)->refusal = why;
    if (chip->muted)
        return status;
    return chip_fail(chip, status, "%s 0x%llx (%zu bytes) in %s%s tile (%u,%u): %s", verb[request->op],
                     (unsigned long long)request->address, request->size, info->harvested ? "harvested " : "",
                     bh_tile_kind_name(info->kind), info->translated.x, info->translated.y, why);
}

/* Returns the time at which a request acts. At a served tile that is the time of the packet, although other tiles have
 * run on since. */
static uint64_t time_of(const struct bh_chip *chip) {
    return chip->muted ? chip->arrival : chip->time;
}

/* ---- Registers ------------------------------------------------------------------------------------ */

static struct access niu_word(struct niu *niu, enum chip_op op, uint32_t offset, uint64_t time, uint32_t *value) {
    switch (op) {
    case CHIP_READ: return niu_read(niu, NULL, offset, time, value);
    case CHIP_WRITE: return niu_write(niu, NULL, offset, time, *value);
    case CHIP_PEEK: return niu_peek(niu, offset, value);
    case CHIP_POKE: break;
    }
    return niu_poke(niu, offset, *value);
}

static bool is_word(const struct chip_request *request) {
    return request->size == 4 && request->address % 4 == 0;
}

static bh_status finish_word(const struct bh_chip *chip, unsigned site, const struct chip_request *request,
                             struct access access, uint32_t value) {
    if (access.result != ACCESS_DONE) {
        bool unmodelled = access.kind == BH_FAULT_UNMODELLED;
        return refuse(chip, site, request, unmodelled ? BH_ERR_UNMODELLED : BH_ERR_ADDRESS, access.text);
    }
    if (!chip_op_writes(request->op))
        memcpy(request->data, &value, sizeof value);
    return BH_OK;
}

bh_status chip_small_niu(struct bh_chip *chip, unsigned site, unsigned noc, const struct chip_request *request,
                         uint32_t offset) {
    uint32_t value = 0;
    if (!is_word(request))
        return refuse(chip, site, request, BH_ERR_ALIGNMENT, "registers take aligned 32-bit words");
    if (!BH_CHECK(&chip->error, chip->small_index[site] < CHIP_SMALL_TILES && noc < 2))
        return refuse(chip, site, request, BH_ERR_INTERNAL, "no NIU");
    if (chip_op_writes(request->op))
        memcpy(&value, request->data, sizeof value);
    struct niu *niu = &chip->small_niu[chip->small_index[site]][noc];
    struct access access = niu_word(niu, request->op, offset, time_of(chip), &value);
    return finish_word(chip, site, request, access, value);
}

/* Returns whether the address is in a NIU at 0xFFB20000 or 0xFFB30000. */
static bool names_niu(uint64_t address, unsigned *noc) {
    uint32_t offset = (uint32_t)address - NIU_BASE;
    *noc = offset / NIU_SIZE;
    return offset < 2 * NIU_SIZE;
}

static void copy(void *memory, const struct chip_request *request) {
    bool writes = chip_op_writes(request->op);
    void *to = writes ? memory : request->data;
    const void *from = writes ? request->data : memory;
    if (request->size == 4)
        memcpy(to, from, 4); /* the common case, without a call */
    else
        memcpy(to, from, request->size);
}

/* ---- Tiles by kind ---------------------------------------------------------------------------------- */

/* Accesses L1 like tile_read and tile_write, but without looking the address up. */
static bh_status access_l1(struct tile *tile, const struct chip_request *request) {
    const uint32_t address = (uint32_t)request->address, size = (uint32_t)request->size;
    bool writes = chip_op_writes(request->op);
    copy(writes ? l1_begin(tile, address, size) : tile->l1 + address, request);
    if (writes)
        l1_end(tile, address, size, tile->time);
    if (writes && tile->mail.hazards)
        hazard_host_writes(tile->mail.hazards, address, size, tile->time);
    else if (tile->mail.hazards)
        hazard_host_reads(tile->mail.hazards);
    return BH_OK;
}

bh_status chip_access_tile(struct bh_chip *chip, unsigned site, struct tile *tile, const struct chip_request *request) {
    const struct bh_tile_info *info = &chip->topology.site[site];
    const char *why = "";
    unsigned noc;
    bh_status status = BH_ERR_ADDRESS;
    if (info->harvested && !names_niu(request->address, &noc))
        return refuse(chip, site, request, BH_ERR_ADDRESS, "only the NIUs of a harvested tile answer");
    if (tile->time < chip->time && !chip->in_debug)
        tile->time = chip->time; /* the tile has slept until now */
    if (chip_op_writes(request->op))
        chip->touched[tile->index] = true;
    if (tile->kind == TILE_KIND_ETH && request->op == CHIP_READ)
        eth_firmware_beat(tile, request->address, request->size, chip->time);
    if (request->address < tile_l1_size(tile) && request->size <= tile_l1_size(tile) - request->address) {
        status = access_l1(tile, request);
        if (tile->kind == TILE_KIND_ETH && request->op == CHIP_WRITE)
            eth_firmware_message(tile, request->address, request->size, chip->time);
        return status;
    }
    switch (request->op) {
    case CHIP_READ: status = tile_read(tile, request->address, request->data, request->size, &why); break;
    case CHIP_WRITE: status = tile_write(tile, request->address, request->data, request->size, &why); break;
    case CHIP_PEEK: status = tile_peek(tile, request->address, request->data, request->size, &why); break;
    case CHIP_POKE: status = tile_poke(tile, request->address, request->data, request->size, &why); break;
    }
    chip->unsettled |= request->op == CHIP_WRITE && !chip->idle;
    chip->commanded |=
        request->op == CHIP_WRITE && !chip->idle && request->address == (uint32_t)REG_AT_CONTROL_RISC_DBG_CNTL_0;
    return status == BH_OK ? BH_OK : refuse(chip, site, request, status, why);
}

/* The L1 of a DRAM tile's core, as the NoC sees it (tt-metal's dev_mem_map.h). */
#define DRAM_CORE_L1      UINT64_C(0x2000000000)
#define DRAM_CORE_L1_SIZE UINT64_C(0x20000)

static bh_status access_dram(struct bh_chip *chip, unsigned site, const struct chip_request *request) {
    const struct bh_tile_info *info = &chip->topology.site[site];
    unsigned noc;
    if (names_niu(request->address, &noc))
        return chip_small_niu(chip, site, noc, request, (uint32_t)request->address % NIU_SIZE);
    if (info->harvested)
        return refuse(chip, site, request, BH_ERR_ADDRESS, "only the NIUs of a harvested bank answer");
    if (request->address - DRAM_CORE_L1 < DRAM_CORE_L1_SIZE)
        return refuse(chip, site, request, BH_ERR_UNMODELLED, "the L1 of a DRAM tile's core is not modelled");
    if (!dram_holds(request->address, request->size))
        return refuse(chip, site, request, BH_ERR_ADDRESS, "a bank has 4 GiB, 0x0 to 0xffffffff");
    if (chip_op_writes(request->op) && dram_is_lent(&chip->dram, info->index, request->address, request->size))
        exchange_copy_loans(chip, info->index);
    if (chip_op_writes(request->op))
        dram_write(&chip->dram, info->index, request->address, request->data, request->size);
    else
        dram_read(&chip->dram, info->index, request->address, request->data, request->size);
    if (chip_op_writes(request->op) && chip->hazards && !chip->muted) /* the host writes */
        chip_hazards_written(chip, site, request->address, request->size);
    return BH_OK;
}

static bh_status access_host(struct bh_chip *chip, unsigned site, const struct chip_request *request) {
    uint64_t address = request->address;
    uint8_t *data = request->data;
    bool writes = chip_op_writes(request->op);
    if (writes ? !chip->config.host_write : !chip->config.host_read)
        return refuse(chip, site, request, BH_ERR_STATE, "there is no host memory behind PCI Express");
    for (size_t left = request->size; left;) {
        struct pcie_span span;
        if (!pcie_outbound(&chip->pcie, address, left, &span))
            return refuse(chip, site, request, BH_ERR_UNMODELLED,
                          "only windows 0..7 (host memory) and 62 (controller) are modelled");
        if (writes)
            chip->config.host_write(chip->config.user, span.address, data, (size_t)span.size);
        else
            chip->config.host_read(chip->config.user, span.address, data, (size_t)span.size);
        address += span.size;
        data += span.size;
        left -= (size_t)span.size;
    }
    return BH_OK;
}

/* A peek or poke of these registers acts like a read or write: there are no side effects. */
static bh_status access_dbi(struct bh_chip *chip, unsigned site, const struct chip_request *request) {
    uint64_t offset = request->address & ((UINT64_C(1) << PCIE_WINDOW_SHIFT) - 1);
    uint32_t value = 0;
    if (!is_word(request))
        return refuse(chip, site, request, BH_ERR_ALIGNMENT, "registers take aligned 32-bit words");
    if (chip_op_writes(request->op))
        memcpy(&value, request->data, sizeof value);
    struct access access = chip_op_writes(request->op) ? pcie_dbi_write(&chip->pcie, offset, value)
                                                       : pcie_dbi_read(&chip->pcie, offset, &value);
    return finish_word(chip, site, request, access, value);
}

static bh_status access_pcie(struct bh_chip *chip, unsigned site, const struct chip_request *request) {
    if (request->address >= NIU_TOP)
        return chip_small_niu(chip, site, request->noc, request, (uint32_t)request->address % NIU_SIZE);
    if (chip->topology.site[site].harvested)
        return refuse(chip, site, request, BH_ERR_ADDRESS, "no host is connected to this PCI Express tile");
    if (request->address >> PCIE_WINDOW_SHIFT == PCIE_WINDOW_DBI)
        return access_dbi(chip, site, request);
    return access_host(chip, site, request);
}

static struct access arc_word(struct arc *arc, enum chip_op op, uint32_t offset, uint64_t time, uint32_t *value) {
    switch (op) {
    case CHIP_READ: return arc_read(arc, offset, time, value);
    case CHIP_WRITE: return arc_write(arc, offset, time, *value);
    case CHIP_PEEK: return arc_peek(arc, offset, time, value);
    case CHIP_POKE: break;
    }
    return arc_poke(arc, offset, *value);
}

static bh_status access_arc(struct bh_chip *chip, unsigned site, const struct chip_request *request) {
    uint64_t offset = request->address - ARC_APB_BASE;
    uint8_t *memory = arc_memory(&chip->arc, request->address, request->size, time_of(chip));
    uint32_t value = 0;
    if (memory) {
        copy(memory, request);
        return BH_OK;
    }
    if (offset - ARC_NIU < 2 * ARC_NIU_STRIDE)
        return chip_small_niu(chip, site, offset >= ARC_NIU + ARC_NIU_STRIDE, request,
                              (uint32_t)offset % ARC_NIU_STRIDE);
    if (offset >= ARC_APB_SIZE)
        return refuse(chip, site, request, BH_ERR_UNMODELLED, "neither CSM (512 KiB at 0x10000000) nor a register");
    if (!is_word(request))
        return refuse(chip, site, request, BH_ERR_ALIGNMENT, "registers take aligned 32-bit words");
    if (chip_op_writes(request->op))
        memcpy(&value, request->data, sizeof value);
    struct access access = arc_word(&chip->arc, request->op, (uint32_t)offset, time_of(chip), &value);
    return finish_word(chip, site, request, access, value);
}

/* Accesses ARC, L2CPU, security and router-only tiles: their identity, and ARC's memory and registers. */
static bh_status access_other(struct bh_chip *chip, unsigned site, const struct chip_request *request) {
    enum bh_tile_kind kind = chip->topology.site[site].kind;
    uint64_t address = request->address;
    unsigned noc;
    if (address >= NIU_TOP || (kind == BH_TILE_ROUTER && address >= NIU_TOP_32 && address <= UINT32_MAX))
        return chip_small_niu(chip, site, request->noc, request, (uint32_t)address % NIU_SIZE);
    if (address <= UINT32_MAX && names_niu(address, &noc))
        return chip_small_niu(chip, site, noc, request, (uint32_t)address % NIU_SIZE);
    if (kind == BH_TILE_ARC)
        return access_arc(chip, site, request);
    if (kind == BH_TILE_ROUTER)
        return refuse(chip, site, request, BH_ERR_ADDRESS, "there is nothing but a router");
    return refuse(chip, site, request, BH_ERR_UNMODELLED,
                  kind == BH_TILE_L2CPU ? "of L2CPU tiles only the NIUs are modelled, not cores, caches and peripherals"
                                        : "of the security tile only the NIUs are modelled, not the fuses");
}

/* ---- Entry points ------------------------------------------------------------------------------------ */

bh_status chip_access(struct bh_chip *chip, unsigned site, const struct chip_request *request) {
    if (request->size > UINT64_MAX - request->address)
        return refuse(chip, site, request, BH_ERR_ADDRESS, "wraps around the address space");
    if (request->size == 0)
        return BH_OK;
    switch (chip->topology.site[site].kind) {
    case BH_TILE_TENSIX:
    case BH_TILE_ETH:
        return chip_access_tile(chip, site, chip_made(chip, topology_tile(&chip->topology.site[site])), request);
    case BH_TILE_DRAM: return access_dram(chip, site, request);
    case BH_TILE_PCIE: return access_pcie(chip, site, request);
    default: return access_other(chip, site, request);
    }
}

bh_status chip_no_tile(const struct bh_chip *chip, struct bh_xy at, const struct chip_request *request) {
    return chip_fail(chip, BH_ERR_COORDINATE, "no tile answers at (%u,%u) on NoC %u (address 0x%llx)", at.x, at.y,
                     request->noc, (unsigned long long)request->address);
}

bh_status chip_find(const struct bh_chip *chip, struct bh_xy at, const struct chip_request *request, unsigned *site) {
    *site = topology_find(&chip->topology, request->noc, at);
    return *site == TOPOLOGY_NONE ? chip_no_tile(chip, at, request) : BH_OK;
}

bh_status chip_access_at(struct bh_chip *chip, struct bh_xy at, const struct chip_request *request) {
    unsigned site;
    bh_status status = chip_find(chip, at, request, &site);
    return status == BH_OK ? chip_access(chip, site, request) : status;
}

void chip_catch_up(const struct bh_chip *chip, struct tile *tile) {
    if (chip->in_debug) /* the tile may be running */
        return;
    if (tile->time < chip->time)
        tile->time = chip->time;
    tensix_run(&tile->tensix, chip->time);
}

static bh_status find_tile(const struct bh_chip *chip, struct bh_xy at, bool eth_too, unsigned *index) {
    unsigned site = topology_find(&chip->topology, 0, at);
    if (site == TOPOLOGY_NONE)
        return chip_fail(chip, BH_ERR_COORDINATE, "there is no tile at (%u,%u)", at.x, at.y);
    const struct bh_tile_info *info = &chip->topology.site[site];
    bool fits = info->kind == BH_TILE_TENSIX || (eth_too && info->kind == BH_TILE_ETH);
    if (!fits || info->harvested)
        return chip_fail(chip, BH_ERR_COORDINATE, "(%u,%u) is a %s%s tile, not a Tensix %stile with cores", at.x, at.y,
                         info->harvested ? "harvested " : "", bh_tile_kind_name(info->kind),
                         eth_too ? "or Ethernet " : "");
    *index = topology_tile(info);
    return BH_OK;
}

static bh_status make_tile(const struct bh_chip *chip, struct bh_xy at, bool eth_too, struct tile **tile) {
    unsigned index = 0;
    bh_status status = find_tile(chip, at, eth_too, &index);
    if (status == BH_OK)
        *tile = chip_made(chip, index);
    return status;
}

bh_status chip_tensix(const struct bh_chip *chip, struct bh_xy at, struct tile **tile) {
    return make_tile(chip, at, false, tile);
}

bh_status chip_tile(const struct bh_chip *chip, struct bh_xy at, struct tile **tile) {
    return make_tile(chip, at, true, tile);
}

bh_status chip_tile_number(const struct bh_chip *chip, struct bh_xy at, unsigned *index) {
    return find_tile(chip, at, true, index);
}
