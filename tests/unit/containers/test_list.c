#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "containers/containers.h"

struct item {
    struct list_node node;
    char name;
};

static struct item items[] = {
    {.name = 'a'}, {.name = 'b'}, {.name = 'c'}, {.name = 'd'}, {.name = 'e'}};

static void list_open(struct list_node *end, unsigned from, unsigned count)
{
    end->next = end->previous = end;
    for (unsigned i = 0; i < count; i++)
        list_hook(&items[from + i].node, end);
}

/* The names in order; and the same the other way round. */
static void list_is(const struct list_node *end, const char *names)
{
    const struct list_node *at = end;
    size_t count = strlen(names);

    for (size_t i = 0; i < count; i++) {
        at = at->next;
        assert_int_equal(((const struct item *)at)->name, names[i]);
    }
    assert_ptr_equal(at->next, end);
    for (size_t i = count; i-- > 0; at = at->previous)
        assert_int_equal(((const struct item *)at)->name, names[i]);
    assert_ptr_equal(at, end);
}

static void one_by_one(void **context)
{
    struct list_node end;

    (void)context;
    list_open(&end, 0, 3);
    list_is(&end, "abc");
    list_hook(&items[3].node, &items[1].node);
    list_is(&end, "adbc");
    list_unhook(&items[0].node);
    list_is(&end, "dbc");
    list_reverse(&end);
    list_is(&end, "cbd");
    list_unhook(&items[2].node);
    list_unhook(&items[1].node);
    list_unhook(&items[3].node);
    list_is(&end, "");
    list_reverse(&end);
    list_is(&end, "");
}

static void several(void **context)
{
    struct list_node a, b;

    (void)context;
    list_open(&a, 0, 3);
    list_open(&b, 3, 2);
    list_transfer(&items[1].node, b.next, &b);
    list_is(&a, "adebc");
    list_is(&b, "");
    list_transfer(a.next, &items[4].node, &items[2].node); /* within one */
    list_is(&a, "ebadc");
    list_transfer(&items[2].node, &items[3].node, &items[2].node); /* to where it is */
    list_is(&a, "ebadc");
    list_transfer(&b, a.next, &items[0].node);
    list_is(&a, "adc");
    list_is(&b, "eb");
    list_swap(&a, &b);
    list_is(&a, "eb");
    list_is(&b, "adc");
}

static void swapped_with_none(void **context)
{
    struct list_node a, b;

    (void)context;
    list_open(&a, 0, 2);
    list_open(&b, 0, 0);
    list_swap(&a, &b);
    list_is(&a, "");
    list_is(&b, "ab");
    list_swap(&a, &b);
    list_is(&a, "ab");
    list_is(&b, "");
    list_open(&a, 0, 0);
    list_swap(&a, &b);
    list_is(&a, "");
    list_is(&b, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_by_one), cmocka_unit_test(several),
                                       cmocka_unit_test(swapped_with_none)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
