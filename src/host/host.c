/* Life of a handle, and PCI Express by BAR and by bus address.
 *
 * BAR 0   0x00000000  202 windows of 2 MiB         0x1FC00000  their descriptors, and those of BAR 4
 *         0x1FD04000  NIU 0 of the PCIe tile       0x1FD14000  NIU 1
 *         0x1FE80000  memory of ARC                0x1FF00000  registers of ARC: only where the host is on the
 *                                                  second PCIe tile, as on a P100A
 * BAR 2   0x00000000  DMA channels                 0x00001000  address translation (iATU)
 * BAR 4   8 windows of 4 GiB
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/line.h"
#include "host/dma.h"
#include "host/host.h"

enum {
    BAR0_DESCRIPTORS = 0x1FC00000,
    BAR0_NIU0 = 0x1FD04000,
    BAR0_NIU1 = 0x1FD14000,
    BAR0_NIU_SIZE = 0x2000,
    BAR0_ARC_CSM = 0x1FE80000,
    BAR0_ARC_APB = 0x1FF00000,
    DIRECT_TO_ARC = 11, /* NoC 0 position of the PCIe tile that is wired to ARC */
};

/* One access by the host. */
struct access_by_host {
    bool writes;
    uint64_t offset; /* in the BAR */
    uint8_t *data;   /* a write access only reads it */
    size_t size;
};

/* ---- Life ------------------------------------------------------------------------------------------ */

static bh_status explain(bh_status status, const char *text, char *message, size_t size) {
    if (message)
        line_put(message, size, "%s", text);
    return status;
}

bh_status bh_create(const struct bh_config *config, bh_chip **chip, char *message, size_t size) {
    if (chip)
        *chip = NULL;
    if (!chip || !config)
        return explain(BH_ERR_ARGUMENT, config ? "chip is NULL" : "config is NULL", message, size);
    struct host *host = calloc(1, sizeof *host);
    if (!host)
        return explain(BH_ERR_MEMORY, "no memory for a chip", message, size);
    bh_status status = chip_init(&host->chip, config);
    if (status != BH_OK) {
        (void)explain(status, host->chip.message, message, size);
        bh_destroy(&host->chip);
        return status;
    }
    pci_init(&host->pci);
    *chip = &host->chip;
    return BH_OK;
}

void bh_destroy(bh_chip *chip) {
    if (!chip)
        return;
    chip_free(chip);
    free(host_of(chip));
}

void host_reset(bh_chip *chip) {
    struct host *host = host_of(chip);
    chip_reset(chip);
    chip->message[0] = '\0';
    pci_init(&host->pci);
    host->tlb = (struct tlb){ { 0 } };
}

void bh_reset(bh_chip *chip) {
    if (!chip)
        return;
    if (chip->is_member) {
        (void)chip_fail(chip, BH_ERR_STATE, "bh_reset: the chip belongs to a system: bh_system_reset_chip");
        return;
    }
    if (chip->in_run) {
        (void)chip_fail(chip, BH_ERR_STATE, "bh_reset: a run is under way");
        return;
    }
    host_reset(chip);
}

/* ---- Windows ------------------------------------------------------------------------------------------ */

static bh_status use_window(struct host *host, unsigned window, uint64_t offset, uint64_t window_size,
                            const struct access_by_host *access) {
    struct tlb_target target = tlb_decode(&host->tlb, window);
    struct chip_request request = {
        .op = access->writes ? CHIP_WRITE : CHIP_READ,
        .noc = target.noc,
        .address = target.address + offset,
        .data = access->data,
        .size = access->size,
    };
    if (access->size > window_size - offset)
        return chip_fail(&host->chip, BH_ERR_ADDRESS, "window %u: %zu bytes at 0x%llx cross the end of the window",
                         window, access->size, (unsigned long long)offset);
    if (target.noc > 1)
        return chip_fail(&host->chip, BH_ERR_UNMODELLED, "window %u: NoC %u is not modelled", window, target.noc);
    if (!target.multicast)
        return chip_unicast(&host->chip, target.end, &request, target.posted);
    if (!access->writes)
        return chip_fail(&host->chip, BH_ERR_ARGUMENT, "window %u: a multicast window cannot be read", window);
    struct tlb_strided strided = tlb_strided(&host->tlb, window);
    const struct chip_area area = { target.start, target.end, strided.exclude, strided.receivers };
    return chip_multicast(&host->chip, &area, &request, target.posted);
}

/* ---- Registers ------------------------------------------------------------------------------------------ */

static bool words_only(const struct access_by_host *access) {
    return access->offset % 4 == 0 && access->size % 4 == 0;
}

static bh_status not_words(struct host *host, unsigned bar, const struct access_by_host *access) {
    return chip_fail(&host->chip, BH_ERR_ALIGNMENT, "BAR %u + 0x%llx: registers take aligned 32-bit words", bar,
                     (unsigned long long)access->offset);
}

static bh_status no_register(struct host *host, unsigned bar, const struct access_by_host *access) {
    return chip_fail(&host->chip, BH_ERR_ADDRESS, "BAR %u + 0x%llx (%zu bytes): there is nothing that is modelled", bar,
                     (unsigned long long)access->offset, access->size);
}

static bh_status use_descriptors(struct host *host, const struct access_by_host *access) {
    uint64_t offset = access->offset - BAR0_DESCRIPTORS;
    if (!words_only(access))
        return not_words(host, 0, access);
    if (access->size > sizeof host->tlb.word - offset)
        return no_register(host, 0, access);
    uint32_t *word = &host->tlb.word[offset / 4];
    if (access->writes)
        memcpy(word, access->data, access->size);
    else
        memcpy(access->data, word, access->size);
    return BH_OK;
}

/* Returns the first tile of a kind that is not harvested. */
static unsigned live_site(const struct bh_chip *chip, enum bh_tile_kind kind) {
    for (unsigned site = 0; site < TOPOLOGY_SITES; site++)
        if (chip->topology.site[site].kind == kind && !chip->topology.site[site].harvested)
            return site;
    return 0;
}

static bh_status use_niu(struct host *host, unsigned noc, uint32_t offset, const struct access_by_host *access) {
    struct chip_request request = {
        .op = access->writes ? CHIP_WRITE : CHIP_READ,
        .noc = (uint8_t)noc,
        .address = access->offset,
        .data = access->data,
        .size = access->size,
    };
    return chip_small_niu(&host->chip, live_site(&host->chip, BH_TILE_PCIE), noc, &request, offset);
}

/* Precondition: the offset is BAR0_ARC_CSM or higher. */
static bh_status use_arc(struct host *host, const struct access_by_host *access) {
    const struct bh_chip *chip = &host->chip;
    bool apb = access->offset >= BAR0_ARC_APB;
    struct chip_request request = {
        .op = access->writes ? CHIP_WRITE : CHIP_READ,
        .address = apb ? access->offset - BAR0_ARC_APB + ARC_APB_BASE : access->offset - BAR0_ARC_CSM + ARC_CSM_BASE,
        .data = access->data,
        .size = access->size,
    };
    if (chip->topology.site[live_site(chip, BH_TILE_PCIE)].noc0.x != DIRECT_TO_ARC)
        return chip_fail(chip, BH_ERR_ADDRESS,
                         "BAR 0 + 0x%llx: this board's PCIe tile has no wires to ARC; take a window",
                         (unsigned long long)access->offset);
    return chip_access(&host->chip, live_site(chip, BH_TILE_ARC), &request);
}

static bh_status use_bar0(struct host *host, const struct access_by_host *access) {
    uint64_t offset = access->offset;
    if (offset >> TLB_SMALL_SHIFT < TLB_SMALL)
        return use_window(host, (unsigned)(offset >> TLB_SMALL_SHIFT), offset & ((1u << TLB_SMALL_SHIFT) - 1),
                          1u << TLB_SMALL_SHIFT, access);
    if (offset - BAR0_DESCRIPTORS < sizeof host->tlb.word)
        return use_descriptors(host, access);
    if (offset - BAR0_NIU0 < BAR0_NIU_SIZE)
        return use_niu(host, 0, (uint32_t)(offset - BAR0_NIU0), access);
    if (offset - BAR0_NIU1 < BAR0_NIU_SIZE)
        return use_niu(host, 1, (uint32_t)(offset - BAR0_NIU1), access);
    if (offset >= BAR0_ARC_CSM)
        return use_arc(host, access);
    return no_register(host, 0, access);
}

static bh_status use_bar4(struct host *host, const struct access_by_host *access) {
    return use_window(host, TLB_SMALL + (unsigned)(access->offset >> TLB_LARGE_SHIFT), access->offset & UINT32_MAX,
                      UINT64_C(1) << TLB_LARGE_SHIFT, access);
}

/* ---- BAR 2: address translation and DMA ----------------------------------------------------------------- */

static bh_status refuse_bar2(struct host *host, uint32_t offset, struct access access) {
    bh_status status = access.kind == BH_FAULT_UNMODELLED  ? BH_ERR_UNMODELLED
                       : access.kind == BH_FAULT_UNDEFINED ? BH_ERR_STATE
                                                           : BH_ERR_ADDRESS;
    return chip_fail(&host->chip, status, "BAR 2 + 0x%x: %s", offset, access.text);
}

static bh_status write_bar2(struct host *host, uint32_t offset, uint32_t value) {
    bool rings;
    if (offset >= PCIE_IATU_BASE) {
        const char *why = pcie_iatu_write(&host->chip.pcie, offset - PCIE_IATU_BASE, value);
        return why ? chip_fail(&host->chip, BH_ERR_UNMODELLED, "BAR 2 + 0x%x: %s", offset, why) : BH_OK;
    }
    struct access access = hdma_write(&host->chip.pcie.hdma, offset - PCIE_HDMA_BASE, value, &rings);
    if (access.result != ACCESS_DONE)
        return refuse_bar2(host, offset, access);
    return rings ? dma_run(host, offset / HDMA_CHANNEL_SIZE) : BH_OK;
}

static bh_status read_bar2(struct host *host, uint32_t offset, uint32_t *value) {
    if (offset >= PCIE_IATU_BASE) {
        *value = host->chip.pcie.iatu[(offset - PCIE_IATU_BASE) / 4];
        return BH_OK;
    }
    struct access access = hdma_read(&host->chip.pcie.hdma, offset - PCIE_HDMA_BASE, value);
    return access.result == ACCESS_DONE ? BH_OK : refuse_bar2(host, offset, access);
}

static bool bar2_has(uint64_t offset) {
    return offset - PCIE_HDMA_BASE < HDMA_SIZE || offset - PCIE_IATU_BASE < PCIE_IATU_SIZE;
}

static bh_status bar2_word(struct host *host, bool writes, uint32_t offset, uint8_t *data) {
    uint32_t value;
    if (writes) {
        memcpy(&value, data, sizeof value);
        return write_bar2(host, offset, value);
    }
    bh_status status = read_bar2(host, offset, &value);
    if (status == BH_OK)
        memcpy(data, &value, sizeof value);
    return status;
}

/* noinline keeps the stack frame of this function out of the path of windows and descriptors. */
__attribute__((noinline)) static bh_status use_bar2(struct host *host, const struct access_by_host *access) {
    if (!words_only(access))
        return not_words(host, 2, access);
    for (size_t done = 0; done < access->size; done += 4) {
        if (!bar2_has(access->offset + done))
            return no_register(host, 2, access);
        bh_status status = bar2_word(host, access->writes, (uint32_t)(access->offset + done), access->data + done);
        if (status != BH_OK)
            return status;
    }
    return BH_OK;
}

/* ---- Entry points -------------------------------------------------------------------------------------- */

/* Precondition: the access lies in the BAR. */
static bh_status use_decoded(struct host *host, unsigned bar, const struct access_by_host *access) {
    if (access->size == 0)
        return BH_OK;
    host->chip.host_changes++;
    switch (bar) {
    case 0: return use_bar0(host, access);
    case 2: return use_bar2(host, access);
    default: return use_bar4(host, access);
    }
}

static bh_status use_bar(struct host *host, unsigned bar, const struct access_by_host *access) {
    uint64_t size = pci_bar_size(bar);
    if (size == 0)
        return chip_fail(&host->chip, BH_ERR_ARGUMENT, "BAR %u: the device has BARs 0, 2 and 4", bar);
    if (access->offset >= size || access->size > size - access->offset)
        return chip_fail(&host->chip, BH_ERR_ADDRESS, "BAR %u + 0x%llx: %zu bytes reach past its 0x%llx", bar,
                         (unsigned long long)access->offset, access->size, (unsigned long long)size);
    return use_decoded(host, bar, access);
}

bh_status bh_bar_read(bh_chip *chip, unsigned bar, uint64_t offset, void *data, size_t size) {
    if (!chip || (!data && size))
        return chip_null(chip, "data");
    struct access_by_host access = { .offset = offset, .data = data, .size = size };
    return use_bar(host_of(chip), bar, &access);
}

bh_status bh_bar_write(bh_chip *chip, unsigned bar, uint64_t offset, const void *data, size_t size) {
    if (!chip || (!data && size))
        return chip_null(chip, "data");
    struct access_by_host access = { true, offset, (uint8_t *)(uintptr_t)data, size };
    return use_bar(host_of(chip), bar, &access);
}

static bh_status use_bus(struct host *host, struct access_by_host access) {
    unsigned bar;
    uint64_t address = access.offset;
    if (pci_decode(&host->pci, address, access.size, &bar, &access.offset))
        return use_decoded(host, bar, &access);
    return chip_fail(&host->chip, BH_ERR_ADDRESS, "bus address 0x%llx (%zu bytes) is in no BAR of the device",
                     (unsigned long long)address, access.size);
}

bh_status bh_pci_read(bh_chip *chip, uint64_t address, void *data, size_t size) {
    if (!chip || (!data && size))
        return chip_null(chip, "data");
    return use_bus(host_of(chip), (struct access_by_host){ false, address, data, size });
}

/* Returns the descriptor word that a 32-bit access goes to, or NULL if it goes elsewhere. A shortcut: clients rewrite
 * the descriptor of a window, word by word, before every access. */
static inline uint32_t *one_descriptor_word(struct host *host, uint64_t address, size_t size) {
    uint64_t offset = address - host->pci.base[0] - BAR0_DESCRIPTORS;
    return size == 4 && offset % 4 == 0 && offset < sizeof host->tlb.word ? &host->tlb.word[offset / 4] : NULL;
}

bh_status bh_pci_write(bh_chip *chip, uint64_t address, const void *data, size_t size) {
    if (!chip || (!data && size))
        return chip_null(chip, "data");
    uint32_t *word = one_descriptor_word(host_of(chip), address, size);
    if (word) {
        chip->host_changes++;
        memcpy(word, data, sizeof *word);
        return BH_OK;
    }
    return use_bus(host_of(chip), (struct access_by_host){ true, address, (uint8_t *)(uintptr_t)data, size });
}

static bh_status check_config_offset(bh_chip *chip, uint32_t offset) {
    if (offset % 4)
        return chip_fail(chip, BH_ERR_ALIGNMENT, "configuration space offset 0x%x is not a multiple of 4", offset);
    if (offset >= PCI_CONFIG_SIZE)
        return chip_fail(chip, BH_ERR_ADDRESS, "configuration space offset 0x%x is beyond 4 KiB", offset);
    return BH_OK;
}

bh_status bh_pci_config_read(bh_chip *chip, uint32_t offset, uint32_t *value) {
    if (!chip || !value)
        return chip_null(chip, "value");
    bh_status status = check_config_offset(chip, offset);
    if (status == BH_OK)
        *value = pci_config_read(&host_of(chip)->pci, offset);
    return status;
}

bh_status bh_pci_config_write(bh_chip *chip, uint32_t offset, uint32_t value) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    bh_status status = check_config_offset(chip, offset);
    if (status != BH_OK)
        return status;
    chip->host_changes++;
    pci_config_write(&host_of(chip)->pci, offset, value);
    return BH_OK;
}
