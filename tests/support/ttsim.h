/* The functions of a library with the libttsim ABI, found by their names. */
#ifndef SUPPORT_TTSIM_H
#define SUPPORT_TTSIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "../../abi/libttsim.h"

struct ttsim {
    void *library; /* of dlopen */
    __typeof__(libttsim_init) *init;
    __typeof__(libttsim_exit) *exit;
    __typeof__(libttsim_clock) *clock;
    __typeof__(libttsim_pci_config_rd32) *config_read;
    __typeof__(libttsim_pci_config_wr32) *config_write;
    __typeof__(libttsim_pci_mem_rd_bytes) *read;
    __typeof__(libttsim_pci_mem_wr_bytes) *write;
    __typeof__(libttsim_set_pci_dma_mem_callbacks) *callbacks;
    __typeof__(libttsim_tile_rd_bytes) *tile_read;
    __typeof__(libttsim_tile_wr_bytes) *tile_write;
};

/* Finds the functions of a library that dlopen has returned. Returns NULL, or the name of one that it lacks. */
static inline const char *ttsim_find(void *library, struct ttsim *ttsim) {
    const struct {
        const char *name;
        void *pointer;
    } functions[] = {
        { "libttsim_init", &ttsim->init },
        { "libttsim_exit", &ttsim->exit },
        { "libttsim_clock", &ttsim->clock },
        { "libttsim_pci_config_rd32", &ttsim->config_read },
        { "libttsim_pci_config_wr32", &ttsim->config_write },
        { "libttsim_pci_mem_rd_bytes", &ttsim->read },
        { "libttsim_pci_mem_wr_bytes", &ttsim->write },
        { "libttsim_set_pci_dma_mem_callbacks", &ttsim->callbacks },
        { "libttsim_tile_rd_bytes", &ttsim->tile_read },
        { "libttsim_tile_wr_bytes", &ttsim->tile_write },
    };
    ttsim->library = library;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].name);
        if (!found)
            return functions[i].name;
        memcpy(functions[i].pointer, &found, sizeof found);
    }
    return NULL;
}

#endif
