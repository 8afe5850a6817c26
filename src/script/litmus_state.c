/* Final states of a litmus test: deciding conditions on them, and showing both. */

#include <inttypes.h>

#include "script/litmus.h"

int64_t litmus_number_fit(int64_t number, unsigned size, bool sign)
{
    unsigned unused = 64 - 8 * size;

    if (size >= 8)
        return number;
    uint64_t high = (uint64_t)number << unused;
    return sign ? (int64_t)high >> unused : (int64_t)(high >> unused);
}

int64_t litmus_value(const struct litmus_location *location, litmus_value_fn value, void *context)
{
    return litmus_number_fit(value(context, location), location->size, location->sign);
}

static bool equal(const struct litmus *litmus, const struct litmus_node *node,
                  litmus_value_fn value, void *context)
{
    const struct litmus_location *a = &litmus->locations[node->a];
    int64_t left = litmus_value(a, value, context);

    if (node->b == LITMUS_NONE)
        return left == node->number;
    int64_t right = litmus_value(&litmus->locations[node->b], value, context);
    return left == litmus_number_fit(right, a->size, a->sign);
}

/* Recursion is bounded: the reader admits LITMUS_NODES_MAX nodes. */
static bool holds(const struct litmus *litmus, uint32_t index, litmus_value_fn value, void *context)
{
    const struct litmus_node *node = &litmus->nodes[index];

    switch (node->kind) {
    case LITMUS_EQUAL:
        return equal(litmus, node, value, context);
    case LITMUS_NOT:
        return !holds(litmus, node->a, value, context);
    case LITMUS_AND:
        return holds(litmus, node->a, value, context) && holds(litmus, node->b, value, context);
    case LITMUS_OR:
        return holds(litmus, node->a, value, context) || holds(litmus, node->b, value, context);
    case LITMUS_IMPLIES:
        return !holds(litmus, node->a, value, context) || holds(litmus, node->b, value, context);
    default:
        return node->kind == LITMUS_TRUE;
    }
}

bool litmus_holds(const struct litmus *litmus, litmus_value_fn value, void *context)
{
    return holds(litmus, litmus->condition, value, context);
}

bool litmus_keeps(const struct litmus *litmus, litmus_value_fn value, void *context)
{
    return litmus->filter == LITMUS_NONE || holds(litmus, litmus->filter, value, context);
}

static void print_number(int64_t number, bool sign, FILE *out)
{
    if (sign)
        fprintf(out, "%" PRId64, number);
    else
        fprintf(out, "%" PRIu64, (uint64_t)number);
}

bool litmus_address_find(const struct litmus *litmus, const struct litmus_location *pointer,
                         int64_t number, litmus_value_fn value, void *context,
                         struct litmus_location *where)
{
    *where = (struct litmus_location){.kind = LITMUS_ADDRESS, .size = 8, .sign = true};
    if (!pointer->pointer || number == 0)
        return false;
    for (; where->decl < litmus->program.decl_count; where->decl++) {
        const struct decl *d = &litmus->program.decls[where->decl];

        for (where->index = 0; where->index < d->count; where->index++) {
            if (d->kind == OBJECT_CELL &&
                litmus_number_fit(value(context, where), pointer->size, pointer->sign) == number)
                return true;
        }
    }
    return false;
}

void litmus_state_print(const struct litmus *litmus, const int64_t *values, litmus_value_fn value,
                        void *context, FILE *out)
{
    for (uint32_t i = 0; i < litmus->observed_count; i++) {
        const struct litmus_location *l = &litmus->locations[litmus->observed[i]];
        struct litmus_location where;

        fprintf(out, "%s%s=", i ? " " : "", l->name);
        if (litmus_address_find(litmus, l, values[i], value, context, &where))
            fprintf(out, where.index ? "%s[%u]" : "%s", litmus->program.decls[where.decl].name,
                    where.index);
        else
            print_number(values[i], l->sign, out);
        fputc(';', out);
    }
}

static void print_equation(const struct litmus *litmus, const struct litmus_node *node, FILE *out)
{
    const struct litmus_location *a = &litmus->locations[node->a];

    fprintf(out, "%s=", a->name);
    if (node->b == LITMUS_NONE)
        print_number(node->number, a->sign, out);
    else
        fputs(litmus->locations[node->b].name, out);
}

/* How each kind of node is written, and which kinds of nodes around it ask for parentheses. */
static const struct node_form {
    const char *text;
    unsigned parentheses_in; /* set of enum litmus_node_kind */
} node_forms[] = {
    [LITMUS_TRUE] = {"true", 0},
    [LITMUS_FALSE] = {"false", 0},
    [LITMUS_AND] = {" /\\ ", 1u << LITMUS_IMPLIES},
    [LITMUS_OR] = {" \\/ ", 1u << LITMUS_IMPLIES | 1u << LITMUS_AND},
    [LITMUS_IMPLIES] = {" => ", 1u << LITMUS_AND | 1u << LITMUS_OR},
};

static void print_node(const struct litmus *litmus, uint32_t index, enum litmus_node_kind around,
                       FILE *out)
{
    const struct litmus_node *node = &litmus->nodes[index];

    if (node->kind == LITMUS_EQUAL) {
        print_equation(litmus, node, out);
    } else if (node->kind == LITMUS_NOT) {
        fputs("not (", out);
        print_node(litmus, node->a, LITMUS_NOT, out);
        fputc(')', out);
    } else if (node->kind == LITMUS_TRUE || node->kind == LITMUS_FALSE) {
        fputs(node_forms[node->kind].text, out);
    } else {
        bool parentheses = node_forms[node->kind].parentheses_in >> around & 1;
        fputs(parentheses ? "(" : "", out);
        print_node(litmus, node->a, node->kind, out);
        fputs(node_forms[node->kind].text, out);
        print_node(litmus, node->b, node->kind, out);
        fputs(parentheses ? ")" : "", out);
    }
}

void litmus_condition_print(const struct litmus *litmus, FILE *out)
{
    static const char *const words[] = {
        [LITMUS_EXISTS] = "exists",
        [LITMUS_NOT_EXISTS] = "~exists",
        [LITMUS_FORALL] = "forall",
    };

    fprintf(out, "%s (", words[litmus->quantifier]);
    print_node(litmus, litmus->condition, LITMUS_TRUE, out);
    fputc(')', out);
}
