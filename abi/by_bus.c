/* libttsim.so: the client finds all chips on the PCI bus. */
#include "device.h"

const bool device_by_id = false;
