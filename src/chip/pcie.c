/* Accesses of the PCI Express tile to host memory: see pcie.h. */
#include "chip/pcie.h"
#include "base/order.h"

enum { DIRECT_WINDOWS = 4 };
enum { DBI_DEVICE_CONTROL = 0x78, DBI_HDMA = 0x380000 };

/* Registers of an iATU region, by 32-bit word. */
enum {
    IATU_CTRL1,
    IATU_CTRL2,
    IATU_BASE_LOW,
    IATU_BASE_HIGH,
    IATU_LIMIT_LOW,
    IATU_TARGET_LOW,
    IATU_TARGET_HIGH,
    IATU_CTRL3,
    IATU_LIMIT_HIGH,

    REGION_WORDS = 0x200 / 4,
    INBOUND_WORD = 0x100 / 4,
    CTRL1_LARGE = 1 << 13, /* the limit has a high half of its own */
};

#define CTRL2_ENABLE (UINT32_C(1) << 31)

void pcie_init(struct pcie *pcie) {
    *pcie = (struct pcie){ 0 };
    hdma_init(&pcie->hdma);
}

static uint64_t pair(const uint32_t *low) {
    return low[0] | (uint64_t)low[1] << 32;
}

static uint64_t region_limit(const uint32_t *region) {
    uint32_t high = region[IATU_CTRL1] & CTRL1_LARGE ? region[IATU_LIMIT_HIGH] : region[IATU_BASE_HIGH];
    return region[IATU_LIMIT_LOW] | (uint64_t)high << 32;
}

/* Translates an address. The first region that matches wins; an address that no region matches passes unchanged, and
 * the span then ends at the start of the next region. */
static struct pcie_span translate(const struct pcie *pcie, uint64_t address, uint64_t size) {
    for (unsigned i = 0; i < PCIE_IATU_REGIONS; i++) {
        const uint32_t *region = &pcie->iatu[i * REGION_WORDS];
        if (!(region[IATU_CTRL2] & CTRL2_ENABLE))
            continue;
        uint64_t base = pair(&region[IATU_BASE_LOW]), limit = region_limit(region);
        if (base <= address && address <= limit)
            return (struct pcie_span){ pair(&region[IATU_TARGET_LOW]) + (address - base),
                                       smaller(size - 1, limit - address) + 1 };
        if (base > address)
            size = smaller(size, base - address);
    }
    return (struct pcie_span){ address, size };
}

bool pcie_outbound(const struct pcie *pcie, uint64_t address, uint64_t size, struct pcie_span *span) {
    unsigned window = (unsigned)(address >> PCIE_WINDOW_SHIFT);
    uint64_t room = UINT64_C(1) << PCIE_WINDOW_SHIFT;
    uint64_t local = address & (room - 1);
    if (!pcie_is_host(address) || size == 0)
        return false;
    size = smaller(size, room - local);
    *span = window < DIRECT_WINDOWS ? (struct pcie_span){ local, size } : translate(pcie, local, size);
    return true;
}

const char *pcie_iatu_write(struct pcie *pcie, uint32_t offset, uint32_t value) {
    uint32_t word = offset / 4 % REGION_WORDS;
    if (word == INBOUND_WORD + IATU_CTRL2 && value & CTRL2_ENABLE)
        return "inbound iATU regions are not modelled";
    if ((word == IATU_CTRL1 && value & ~(uint32_t)CTRL1_LARGE) || (word == IATU_CTRL2 && value & ~CTRL2_ENABLE) ||
        (word == IATU_CTRL3 && value))
        return "of the controls of an iATU region only the bits enable and large region are modelled";
    pcie->iatu[offset / 4] = value;
    return 0;
}

static struct access no_dbi(void) {
    return access_refused(BH_FAULT_UNMODELLED, "of the PCI Express controller only device control (0x78) and the DMA "
                                               "engine (0x380000) are modelled");
}

struct access pcie_dbi_read(const struct pcie *pcie, uint64_t offset, uint32_t *value) {
    if (offset == DBI_DEVICE_CONTROL) {
        *value = pcie->device_control;
        return access_done();
    }
    return offset - DBI_HDMA < HDMA_SIZE ? hdma_read(&pcie->hdma, (uint32_t)(offset - DBI_HDMA), value) : no_dbi();
}

struct access pcie_dbi_write(struct pcie *pcie, uint64_t offset, uint32_t value) {
    if (offset == DBI_DEVICE_CONTROL) {
        pcie->device_control = value;
        return access_done();
    }
    if (offset - DBI_HDMA >= HDMA_SIZE)
        return no_dbi();
    bool rings;
    struct access access = hdma_write(&pcie->hdma, (uint32_t)(offset - DBI_HDMA), value, &rings);
    if (!rings)
        return access;
    return access_refused(BH_FAULT_UNMODELLED, "a DMA transfer can be started through BAR 2 only");
}
