/* A client with a short session that gives the same on every library with the libttsim ABI: for tests/external/session.
 *     session_client LIBRARY
 */
#include "../abi/client.h"

/* Host memory is read and written by a window to the PCIe tile. */
static void use_host_memory(const struct ttsim *abi) {
    memcpy(host_memory + 0x800, "from the host", 14);
    assert_int_equal(read32(abi, 19, 24, 0x800), 0x6D6F7266);
    write32(abi, 19, 24, 0x804, 0x12345678);
    assert_memory_equal(host_memory + 0x804, "\x78\x56\x34\x12", 4);
}

int main(int count, char **arguments) {
    static uint8_t block[4096], back[4096];
    if (count < 2)
        return 2;
    struct ttsim abi = load_from(arguments[1]);
    abi.callbacks(dma_read, dma_write);
    abi.init();
    assert_int_equal(abi.config_read(0, 0), 0xB1401E52);
    for (unsigned i = 0; i < sizeof block; i++)
        block[i] = i < 100 ? (uint8_t)(i * i) : 0x11;
    set_window(&abi, 17, 12, 0);
    abi.write(BAR0 + 0x1000, block, sizeof block);
    abi.read(BAR0 + 0x1000, back, sizeof back);
    assert_memory_equal(block, back, sizeof back);
    start_program(&abi, 1, 2);
    abi.clock(100);
    assert_int_equal(read32(&abi, 1, 2, 0x100), 0x55);
    use_host_memory(&abi);
    abi.exit();
    close_abi(&abi);
    return 0;
}
