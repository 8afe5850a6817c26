#include "base/undo.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

/* What was kept is there again, in a directory of the test's own. */

#define CHANGES (UNDO_CONTENT | UNDO_NAME)

static struct arena arena;
static struct undo undo;
static char place[] = "/tmp/raddle-undo-XXXXXX";

static void fill(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool holds(const char *path, const char *text)
{
    char got[64] = "";
    FILE *file = fopen(path, "r");

    if (!file)
        return false;
    (void)!fread(got, 1, sizeof got - 1, file);
    fclose(file);
    return strcmp(got, text) == 0;
}

static void keep(const char *path, unsigned how)
{
    assert_int_equal(undo_keep(&undo, &arena, AT_FDCWD, path, how), UNDO_KEPT);
}

static void back(void)
{
    assert_true(undo_all(&undo, &arena, false));
    assert_int_equal(undo.names.count, 0);
}

static int open_all(void **state)
{
    (void)state;
    return arena_open(&arena, (size_t)1 << 30) || !mkdtemp(place) || chdir(place);
}

static int close_all(void **state)
{
    (void)state;
    arena_close(&arena);
    return chdir("/") || rmdir(place);
}

static void contents(void **state)
{
    struct stat before, after;

    (void)state;
    fill("a", "one");
    chmod("a", 0640);
    stat("a", &before);
    keep("a", UNDO_CONTENT);
    fill("a", "something longer");
    chmod("a", 0);
    back();
    stat("a", &after);
    assert_true(holds("a", "one") && after.st_mode == before.st_mode);
    assert_true(after.st_ino == before.st_ino && after.st_mtime == before.st_mtime);
    unlink("a");
}

static void moved(void **state)
{
    struct stat before, after;

    (void)state;
    fill("a", "one");
    fill("b", "two");
    stat("a", &before);
    keep("a", CHANGES);
    keep("b", CHANGES);
    rename("a", "b");
    back();
    stat("a", &after);
    assert_true(holds("a", "one") && holds("b", "two") && after.st_ino == before.st_ino);
    unlink("a");
    unlink("b");
}

/* The number of a file that is gone is often used again, for a directory, too. */
static void removed(void **state)
{
    char target[8] = "";

    (void)state;
    fill("a", "one");
    symlink("a", "link");
    keep("a", CHANGES);
    keep("link", CHANGES);
    unlink("a");
    unlink("link");
    keep("new", UNDO_NAME);
    mkdir("new", 0700);
    keep("new/inner", UNDO_NAME);
    fill("new/inner", "x");
    back();
    assert_true(holds("a", "one") && readlink("link", target, sizeof target) == 1);
    assert_int_equal(access("new", F_OK), -1);
    unlink("a");
    unlink("link");
}

static void directory(void **state)
{
    (void)state;
    mkdir("d", 0755);
    fill("d/a", "one");
    keep("d/a", CHANGES);
    unlink("d/a");
    keep("d", CHANGES);
    keep("e", CHANGES);
    undo_move_begins(&undo, AT_FDCWD, "d");
    rename("d", "e");
    keep("d", UNDO_NAME);
    mkdir("d", 0700);
    keep("d/a", UNDO_NAME);
    fill("d/a", "another");
    back();
    assert_true(holds("d/a", "one"));
    assert_int_equal(access("e", F_OK), -1);
    unlink("d/a");
    rmdir("d");
}

static void refused(void **state)
{
    (void)state;
    fill("a", "one");
    link("a", "b");
    assert_int_equal(undo_keep(&undo, &arena, AT_FDCWD, "a", CHANGES), UNDO_LINKED);
    unlink("b");
    truncate("a", (off_t)UNDO_FILE_MAX + 1);
    assert_int_equal(undo_keep(&undo, &arena, AT_FDCWD, "a", UNDO_CONTENT), UNDO_TOO_LARGE);
    assert_int_equal(undo_keep(&undo, &arena, AT_FDCWD, "/proc/self/comm", UNDO_CONTENT),
                     UNDO_STRANGE);
    assert_int_equal(undo_keep(&undo, &arena, AT_FDCWD, "/dev/null", UNDO_CONTENT), UNDO_KEPT);
    assert_int_equal(undo_keep(&undo, &arena, AT_FDCWD, "no/such", CHANGES), UNDO_KEPT);
    back();
    unlink("a");
}

/* Newest first; of another process only what outlives it. */
static void calls(void **state)
{
    struct undo_call change = {.number = SYS_umask, .arguments = {022}};

    (void)state;
    umask(027);
    undo_call_add(&undo, &arena, &change, -1);
    change.arguments[0] = 077;
    undo_call_add(&undo, &arena, &change, -1);
    back();
    assert_int_equal(umask(027), 022);
    undo_call_add(&undo, &arena, &change, -1);
    assert_true(undo_all(&undo, &arena, true));
    assert_int_equal(umask(022), 027);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents),  cmocka_unit_test(moved),   cmocka_unit_test(removed),
        cmocka_unit_test(directory), cmocka_unit_test(refused), cmocka_unit_test(calls),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
