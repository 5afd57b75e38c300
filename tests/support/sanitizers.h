/* Which sanitizer a test is built with, and what that leaves room and time for. */
#ifndef SUPPORT_SANITIZERS_H
#define SUPPORT_SANITIZERS_H

#ifndef __has_feature /* clang has it */
#define __has_feature(name) 0
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { TSAN = 1, SANITIZED = 1 };
#elif defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { TSAN = 0, SANITIZED = 1 };
#else
enum { TSAN = 0, SANITIZED = 0 };
#endif

/* The thread sanitizer leaves too little address space for the memory of 32 chips on 64-bit ARM. */
#ifdef __aarch64__
enum { HAS_ROOM_FOR_32 = !TSAN };
#else
enum { HAS_ROOM_FOR_32 = 1 };
#endif

/* How many of so many cases that differ by chance alone are run. The thread sanitizer makes them twenty times slower,
 * and finds in a few of them what threads share without order. */
static inline unsigned some_of(unsigned cases) {
    return TSAN ? (cases + 3) / 4 : cases;
}

#endif
