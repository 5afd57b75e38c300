/* The hash of a system: its chips, and what is on its cables. */
#include "base/mix.h"
#include "system/ports.h"
#include "system/ranks.h"

uint64_t bh_system_hash(const bh_system *system) {
    uint64_t chip[BH_SYSTEM_CHIPS];
    bh_system *owner = (bh_system *)(uintptr_t)system; /* other ranks' cables are known here, and are no new state */
    if (!system)
        return 0;
    for (unsigned i = 0; i < system->chip_count; i++)
        chip[i] = ranks_own(system, i) ? bh_state_hash(system->chip[i]) : 0;
    if (system->ranks && (ranks_share_hashes(owner, chip) != BH_OK ||
                          ranks_share_cables(owner, "bh_system_hash", system->time) != BH_OK))
        return 0;
    uint64_t hash = mix(0, system->time);
    for (unsigned i = 0; i < system->chip_count; i++)
        hash = mix(hash, chip[i]);
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++)
            hash = ports_hash(hash, &system->cable[i]->end[end]);
    return hash;
}
