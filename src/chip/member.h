/* A chip as a member of a system (src/system/): its Ethernet ports, and its time, which only the system moves.
 *
 * A member refuses bh_run, bh_reset, bh_save, bh_load and bh_snapshot_restore, because its time is that of the system.
 * Everything else works as on a chip by itself. */
#ifndef CHIP_MEMBER_H
#define CHIP_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "tile/eth_port.h"

/* Makes the chip a member from this time on. Precondition: the chip has just been created or reset. */
void member_init(bh_chip *chip, uint64_t time);

/* Runs the chip up to this time. Sets *faulted if a core or a thread has faulted, and *fault to the first fault. */
bh_status member_run(bh_chip *chip, uint64_t until, bool *faulted, struct bh_fault *fault);
/* Returns whether nothing can happen unless the host acts or a frame arrives. */
bool member_is_idle(const bh_chip *chip);
/* Returns whether a run calls functions of the user. Those expect the thread that runs the system. */
bool member_calls_user(const bh_chip *chip);
/* Passes the faults and warnings of earlier runs to the callbacks of the chip. */
void member_report(bh_chip *chip);
/* Returns whether an agent waits for something that no agent of this chip can do any more, and fills in the fault. */
bool member_is_deadlocked(const bh_chip *chip, struct bh_fault *fault);
unsigned member_waiting(const bh_chip *chip);

/* Ports are live Ethernet channels, as software counts them. Precondition of the functions below: the chip has the
 * port. */
bool member_has_port(const bh_chip *chip, unsigned port);
struct tile *member_eth_tile(bh_chip *chip, unsigned port);
/* Connects a port; NULL disconnects it. */
void member_connect(bh_chip *chip, unsigned port, struct eth_port *to);
/* Returns what the other end of a cable learns about this end. */
struct eth_identity member_identity(const bh_chip *chip, unsigned port);
/* Makes the tile of a port wake when its next frame arrives. */
void member_expect(bh_chip *chip, unsigned port);
/* Tells the firmware and the cores of a port's tile that its link has changed. */
void member_link_changed(bh_chip *chip, unsigned port);

#endif
