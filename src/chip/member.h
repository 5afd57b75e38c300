/* A chip as a member of a system (src/system/): its Ethernet ports, and time that only the system moves.
 *
 * A member refuses bh_run, bh_reset, bh_load and snapshots, since its time is the system's. Everything else works as on
 * a chip by itself.
 */
#ifndef CHIP_MEMBER_H
#define CHIP_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "tile/eth_port.h"

/* Makes the chip a member from this time on. Precondition: the chip has just been created or reset. */
void member_init(bh_chip *chip, uint64_t time);

/* Runs up to this time. Returns whether a core or a thread has faulted, with the first fault. */
bh_status member_run(bh_chip *chip, uint64_t until, bool *faulted, struct bh_fault *fault);
/* Returns whether nothing can happen without the host or a frame. */
bool member_is_idle(const bh_chip *chip);
/* Returns whether a run calls functions of the user, which expect the thread that runs the system. */
bool member_calls_user(const bh_chip *chip);
/* Passes faults and warnings of runs to the callbacks of the chip. */
void member_tell(bh_chip *chip);
/* Returns whether an agent waits for something that no agent of this chip is left to do, and fills in the fault. */
bool member_is_deadlocked(const bh_chip *chip, struct bh_fault *fault);
unsigned member_waiting(const bh_chip *chip);

/* Ports are live Ethernet channels, as software counts them. Precondition of the other functions: the chip has the
 * port. */
bool member_has_port(const bh_chip *chip, unsigned port);
struct tile *member_eth_tile(bh_chip *chip, unsigned port);
/* Connects a port, or disconnects it (NULL). */
void member_connect(bh_chip *chip, unsigned port, struct eth_port *to);
/* Returns what the other end of a cable learns of this end. */
struct eth_identity member_identity(const bh_chip *chip, unsigned port);
/* Wakes the tile of a port when its next frame arrives. */
void member_expect(bh_chip *chip, unsigned port);
/* Tells firmware and cores of a port's tile that its link has changed. */
void member_link_changed(bh_chip *chip, unsigned port);

#endif
