/* The start of a program of a folder with kernel.c: bhemu-cc defines GUEST_ENTRY as the name of the core, which is that
 * of the function. For kernel.cpp this file is C++, unless the function has C's linkage. */
int GUEST_ENTRY(void);
int main(void);

int main(void) {
    return GUEST_ENTRY();
}
