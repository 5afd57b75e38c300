/* The libttsim C ABI: the functions that libttsim.so exports and that clients such as tt-umd look up by name
 * (docs/libttsim.md). libttsim.map lists the same ten names. */
#ifndef ABI_LIBTTSIM_H
#define ABI_LIBTTSIM_H

#include <stdint.h>

#define LIBTTSIM_API __attribute__((visibility("default")))

/* Callbacks by which the chip accesses host memory. */
typedef void libttsim_dma_read(uint64_t address, void *data, uint32_t size);
typedef void libttsim_dma_write(uint64_t address, const void *data, uint32_t size);

LIBTTSIM_API void libttsim_init(void);
LIBTTSIM_API void libttsim_exit(void);
LIBTTSIM_API void libttsim_clock(uint32_t clocks);
LIBTTSIM_API uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset);
LIBTTSIM_API void libttsim_pci_config_wr32(uint32_t bus_device_function, uint32_t offset, uint32_t value);
LIBTTSIM_API void libttsim_pci_mem_rd_bytes(uint64_t address, void *data, uint32_t size);
LIBTTSIM_API void libttsim_pci_mem_wr_bytes(uint64_t address, const void *data, uint32_t size);
LIBTTSIM_API void libttsim_set_pci_dma_mem_callbacks(libttsim_dma_read *read, libttsim_dma_write *write);
LIBTTSIM_API void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *data, uint32_t size);
LIBTTSIM_API void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *data, uint32_t size);

#endif
