/* Restart in place of writable memory. Each test runs in a child of its own, as an image is saved
 * once. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "resident.h"
#include "runtime/core/image.h"

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            dprintf(STDERR_FILENO, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                 \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static int faults;

static void on_segv(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    faults++;
    if (!image_fault(info->si_addr))
        _exit(2);
}

static int status_of(void (*test)(void))
{
    pid_t child = fork();
    int status;

    if (!child) {
        struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};

        sigaction(SIGSEGV, &action, NULL);
        test();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CHILD_TEST(name)                                                                           \
    static void name##_child(void);                                                                \
    static void name(void **unused)                                                                \
    {                                                                                              \
        (void)unused;                                                                              \
        assert_int_equal(status_of(name##_child), 0);                                              \
    }                                                                                              \
    static void name##_child(void)

/* `size` writable bytes of whole pages. */
static char *pages(size_t size)
{
    char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);

    EXPECT(at != MAP_FAILED);
    return at;
}

CHILD_TEST(restores_small_ranges)
{
    char *at = pages(8192);

    strcpy(at + 100, "start");
    at[99] = at[106] = 'a';
    EXPECT(!image_add_range(at + 100, 6) && !image_save());
    for (int i = 0; i < 3; i++) {
        strcpy(at + 100, "other");
        at[99] = at[106] = 'b'; /* not ours */
        image_restart();
        EXPECT(!strcmp(at + 100, "start") && at[99] == 'b' && at[106] == 'b');
    }
    EXPECT(!faults);
}

CHILD_TEST(restores_dirty_pages)
{
    enum { PAGES = 64 };
    char *at = pages(PAGES * 4096);
    char *original = malloc(PAGES * 4096);

    for (size_t i = 0; i < PAGES * 4096; i++)
        at[i] = i / 4096 % 3 ? (char)(i * 7) : 0; /* every third page is zeros */
    memcpy(original, at, PAGES * 4096);
    EXPECT(!image_add_range(at, PAGES * 4096) && !image_save());
    srand(1);
    for (int execution = 0; execution < 500; execution++) {
        for (int i = 0; i < 5; i++)
            at[rand() % (PAGES * 4096)] ^= 0x55;
        image_restart();
        EXPECT(!memcmp(at, original, PAGES * 4096));
    }
    EXPECT(faults == PAGES && image_stats().runs <= PAGES);
}

CHILD_TEST(counts_what_is_dirtied)
{
    char *at = pages(64 << 10);

    at[4096] = 1; /* the only page that is not zeros */
    EXPECT(!image_add_range(at, 64 << 10) && !image_save());
    at[0] = at[4096] = at[8192] = 2;
    image_restart();
    at[0] = at[4096] = at[8192] = 3;
    image_restart();
    EXPECT(at[0] == 0 && at[4096] == 1 && at[8192] == 0);
    EXPECT(faults == 3 && image_stats().restored == 3 * 4096 && image_stats().saved == 4096);
    EXPECT(image_stats().bytes == 64 << 10);
}

CHILD_TEST(copies_only_the_range_at_its_ends)
{
    char *at = pages(64 << 10);
    char *from = at + 1000;
    size_t size = (64 << 10) - 3000;

    EXPECT(!image_add_range(from, size) && !image_save());
    memset(at, 1, 64 << 10);
    image_restart();
    EXPECT(at[999] == 1 && from[0] == 0 && from[size - 1] == 0 && from[size] == 1);
    for (size_t i = 0; i < size; i++)
        EXPECT(!from[i]);
}

CHILD_TEST(touch_serves_system_calls)
{
    char *at = pages(64 << 10);
    int zero = open("/dev/zero", O_RDONLY);

    memset(at, 1, 64 << 10);
    EXPECT(!image_add_range(at, 64 << 10) && !image_save());
    EXPECT(read(zero, at + 4000, 200) < 200); /* what happens without: EFAULT, or part of it */
    image_touch(at + 4000, 200);
    EXPECT(read(zero, at + 4000, 200) == 200);
    image_touch(at + 40000, 0);
    image_touch(&zero, sizeof zero);
    image_touch(NULL, SIZE_MAX);
    EXPECT(image_stats().restored == 64 << 10);
    image_restart();
    EXPECT(at[4000] == 1 && at[4199] == 1 && !faults);
}

CHILD_TEST(large_arrays_are_not_kept_twice)
{
    size_t size = (size_t)64 << 20;
    char *at = pages(size);
    size_t before;

    memset(at, 1, size);
    EXPECT(!image_add_range(at, size) && !image_save());
    before = resident_kib();
    for (int execution = 0; execution < 3; execution++) {
        at[0] = at[30 << 20] = at[size - 1] = 2;
        image_restart();
        EXPECT(at[0] == 1 && at[30 << 20] == 1 && at[size - 1] == 1);
    }
    EXPECT(before && resident_kib() < before + 1024 && faults == 3);
}

CHILD_TEST(scattered_writes_do_not_run_out_of_mappings)
{
    size_t size = (size_t)320 << 20;
    char *at = pages(size);

    EXPECT(!image_add_range(at, size) && !image_save());
    for (size_t i = 0; i < size;
         i += 8192) /* every other page: 40,960; a process may have 65,530 mappings */
        at[i] = 1;
    image_restart();
    for (size_t i = 0; i < size; i += 8192)
        EXPECT(!at[i]);
}

CHILD_TEST(leaves_other_faults_alone)
{
    char *at = pages(64 << 10), *other = pages(4096);

    EXPECT(!image_add_range(at, 64 << 10) && !image_save());
    EXPECT(!image_fault(other) && !image_fault(NULL) && !image_fault(at - 1));
    EXPECT(image_fault(at) && !image_fault(at));
    EXPECT(image_add_range(other, 16) == -1 && errno == EBUSY);
}

static bool want_libc(void *context, const char *name, const struct dl_phdr_info *info)
{
    bool system = image_is_system(name);

    (void)info;
    ++*(int *)context;
    EXPECT(*name && !strstr(name, "/ld-") && !image_is_instrumented(info));
    return system;
}

CHILD_TEST(restores_libc)
{
    int asked = 0, first, second;
    char text[] = "a b c";

    srand(5);
    strtok(text, " ");
    EXPECT(!image_add_modules(want_libc, &asked) && asked > 0);
    EXPECT(image_stats().bytes > 8192);
    errno = 7;
    EXPECT(!image_save());
    first = rand();
    EXPECT(rand() != first);
    EXPECT(*strtok(NULL, " ") == 'b');
    errno = 8;
    image_restart();
    second = rand();
    EXPECT(errno == 7 && first == second);
    text[3] = ' '; /* ours to restore */
    EXPECT(*strtok(NULL, " ") == 'b');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restores_small_ranges),
        cmocka_unit_test(restores_dirty_pages),
        cmocka_unit_test(counts_what_is_dirtied),
        cmocka_unit_test(copies_only_the_range_at_its_ends),
        cmocka_unit_test(touch_serves_system_calls),
        cmocka_unit_test(large_arrays_are_not_kept_twice),
        cmocka_unit_test(scattered_writes_do_not_run_out_of_mappings),
        cmocka_unit_test(leaves_other_faults_alone),
        cmocka_unit_test(restores_libc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
