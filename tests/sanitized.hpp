// RICCI_TEST_SANITIZED is defined where a sanitizer watches memory or threads: g++ and clang say so
// differently.
#pragma once

#if defined(RICCI_TEST_SANITIZED)
// the build says so, of a file that is compiled without what watches
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RICCI_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define RICCI_TEST_SANITIZED 1
#endif
#endif
