/* What a litmus test asks: reading, deciding and showing conditions on final states. */

#include "script/litmus_memory.h"
#include "script/litmus_reader.h"

/* ---- locations */

static bool same_location(const struct litmus_location *a, const struct litmus_location *b)
{
    if (a->kind != b->kind || a->size != b->size)
        return false;
    if (a->kind == LITMUS_REGISTER)
        return a->thread == b->thread && a->reg == b->reg;
    return a->decl == b->decl && a->index == b->index;
}

/* Adds a location whose name was allocated, or finds the same one and frees the name. */
static uint32_t add_location(struct litmus *litmus, struct litmus_location location)
{
    for (uint32_t i = 0; i < litmus->location_count; i++) {
        if (same_location(&litmus->locations[i], &location)) {
            free(location.name);
            return i;
        }
    }
    litmus->locations =
        litmus_grow(litmus->locations, litmus->location_count, sizeof(*litmus->locations));
    litmus->locations[litmus->location_count] = location;
    return litmus->location_count++;
}

static void observe(struct litmus *litmus, uint32_t location)
{
    if (litmus->locations[location].kind == LITMUS_ADDRESS)
        return;
    for (uint32_t i = 0; i < litmus->observed_count; i++) {
        if (litmus->observed[i] == location)
            return;
    }
    litmus->observed =
        litmus_grow(litmus->observed, litmus->observed_count, sizeof(*litmus->observed));
    litmus->observed[litmus->observed_count++] = location;
}

static uint32_t cell_location(struct litmus_reader *reader, uint32_t decl, uint32_t index,
                              enum litmus_location_kind kind)
{
    static const char *const forms[2][2] = {{"[%s]", "%s[%u]"}, {"%s", "%s[%u]"}};
    const struct decl *d = &reader->out->program.decls[decl];
    struct litmus_type type = reader->symbols[decl].type;
    struct litmus_location location = {
        .kind = kind,
        .decl = decl,
        .index = index,
        .size = kind == LITMUS_ADDRESS ? 8 : d->size,
        .sign = type.stars > 0 || type.sign,
        .pointer = type.stars > 0,
        .reg = REG_NONE,
    };
    size_t room = strlen(d->name) + 16;

    location.name = litmus_realloc(NULL, room, 1);
    snprintf(location.name, room, forms[kind == LITMUS_ADDRESS][d->is_array], d->name, index);
    return add_location(reader->out, location);
}

/* A memory location by name; one that neither code nor initial state knows is a typing error. */
static uint32_t read_decl(struct litmus_reader *reader)
{
    struct token name = litmus_lexer_name(&reader->lexer, "a location");
    uint32_t decl = litmus_reader_find(reader, &name);

    if (decl == LITMUS_NONE)
        litmus_lexer_fail_token(&reader->lexer, &name, "no memory location is called %s",
                                token_show(&name).text);
    if (reader->out->program.decls[decl].kind != OBJECT_CELL)
        litmus_lexer_fail_token(&reader->lexer, &name, "the value of a lock cannot be tested");
    return decl;
}

/* The "[2]" after an array's name; 0 if there is none and none is needed. */
static uint32_t read_index(struct litmus_reader *reader, uint32_t decl, bool needed)
{
    const struct decl *d = &reader->out->program.decls[decl];
    struct token at = reader->lexer.token;
    int64_t index = 0;

    if (litmus_lexer_accept(&reader->lexer, "[")) {
        index = litmus_lexer_number(&reader->lexer, "an index");
        litmus_lexer_expect(&reader->lexer, "]");
    } else if (d->is_array && needed) {
        litmus_lexer_fail(&reader->lexer, "%s is an array: say which element", d->name);
    }
    if (index < 0 || index >= d->count)
        litmus_lexer_fail_token(&reader->lexer, &at, "index out of range: %s has %u elements",
                                d->name, d->count);
    return (uint32_t)index;
}

static uint32_t read_register(struct litmus_reader *reader, int64_t thread)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct litmus_location location = {.kind = LITMUS_REGISTER};

    litmus_lexer_expect(lexer, ":");
    litmus_lexer_accept(lexer, "%");
    struct token name = litmus_lexer_name(lexer, "a register");
    if (thread < 0 || thread >= reader->out->program.thread_count)
        litmus_lexer_fail_token(lexer, &name, "there is no thread P%lld", (long long)thread);
    location.thread = (uint32_t)thread;
    reader->arch->find_reg(reader, location.thread, &name, &location);
    size_t room = strlen(location.name) + 16;
    char *full = litmus_realloc(NULL, room, 1);
    snprintf(full, room, "%u:%s", location.thread, location.name);
    free(location.name);
    location.name = full;
    return add_location(reader->out, location);
}

/* Reads what has a value: 0:EAX, P0:EAX, x, [x], *x, a[1]. */
static uint32_t read_location(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;
    int64_t thread = litmus_reader_thread_number(&lexer->token);

    if (lexer->token.kind == TOKEN_NUMBER)
        return read_register(reader, litmus_lexer_number(lexer, "a thread"));
    if (thread >= 0) {
        litmus_lexer_next(lexer);
        return read_register(reader, thread);
    }
    bool bracket = litmus_lexer_accept(lexer, "[");
    if (!bracket)
        litmus_lexer_accept(lexer, "*");
    uint32_t decl = read_decl(reader);
    uint32_t index = read_index(reader, decl, true);
    if (bracket)
        litmus_lexer_expect(lexer, "]");
    return cell_location(reader, decl, index, LITMUS_CELL);
}

/* ---- conditions */

static uint32_t add_node(struct litmus_reader *reader, struct litmus_node node)
{
    struct litmus *litmus = reader->out;

    if (litmus->node_count == LITMUS_NODES_MAX)
        litmus_lexer_fail(&reader->lexer, "the condition is too long");
    litmus->nodes = litmus_grow(litmus->nodes, litmus->node_count, sizeof(*litmus->nodes));
    litmus->nodes[litmus->node_count] = node;
    return litmus->node_count++;
}

/* The right side of an equation: a number, the address of a location ("0:r1=x"), or the value of
 * one ("0:r1=1:r1", "[x]=[y]", "x=*y"). */
static void read_right_side(struct litmus_reader *reader, struct litmus_node *node)
{
    struct litmus_lexer *lexer = &reader->lexer;
    const struct litmus_location *left = &reader->out->locations[node->a];
    int64_t thread = litmus_reader_thread_number(&lexer->token);

    if (lexer->token.kind == TOKEN_NUMBER || litmus_lexer_at(lexer, "-")) {
        int64_t number = litmus_lexer_number(lexer, "a value");
        if (litmus_lexer_at(lexer, ":"))
            node->b = read_register(reader, number);
        else
            node->number = litmus_number_fit(number, left->size, left->sign);
    } else if (litmus_lexer_at(lexer, "[") || litmus_lexer_at(lexer, "*") || thread >= 0) {
        node->b = read_location(reader);
    } else {
        litmus_lexer_accept(lexer, "&");
        uint32_t decl = read_decl(reader);
        uint32_t index = read_index(reader, decl, false);
        node->b = cell_location(reader, decl, index, LITMUS_ADDRESS);
        reader->out->locations[node->a].pointer = true;
    }
}

static uint32_t read_equation(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct litmus_node node = {.kind = LITMUS_EQUAL, .b = LITMUS_NONE};

    node.a = read_location(reader);
    bool negated = litmus_lexer_accept(lexer, "!=");
    if (!negated && !litmus_lexer_accept(lexer, "=="))
        litmus_lexer_expect(lexer, "=");
    read_right_side(reader, &node);
    uint32_t equation = add_node(reader, node);
    if (!negated)
        return equation;
    return add_node(reader, (struct litmus_node){.kind = LITMUS_NOT, .a = equation});
}

/* Binary operators, by precedence. As in herd7, => binds tighter than /\, and to the right. */
static const struct connective {
    const char *text;
    enum litmus_node_kind kind;
    int precedence;
    bool right;
} connectives[] = {
    {"\\/", LITMUS_OR, 1, false},
    {"/\\", LITMUS_AND, 2, false},
    {"=>", LITMUS_IMPLIES, 3, true},
};

static uint32_t read_property(struct litmus_reader *reader, int precedence);

static uint32_t read_primary(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;
    uint32_t node;

    litmus_reader_enter(reader);
    if (litmus_lexer_accept(lexer, "~") || litmus_lexer_accept(lexer, "not")) {
        node = read_primary(reader);
        node = add_node(reader, (struct litmus_node){.kind = LITMUS_NOT, .a = node});
    } else if (litmus_lexer_accept(lexer, "(")) {
        node = read_property(reader, 1);
        litmus_lexer_expect(lexer, ")");
    } else if (litmus_lexer_accept(lexer, "true")) {
        node = add_node(reader, (struct litmus_node){.kind = LITMUS_TRUE});
    } else if (litmus_lexer_accept(lexer, "false")) {
        node = add_node(reader, (struct litmus_node){.kind = LITMUS_FALSE});
    } else {
        node = read_equation(reader);
    }
    reader->depth--;
    return node;
}

static const struct connective *current_connective(struct litmus_reader *reader)
{
    for (size_t i = 0; i < sizeof(connectives) / sizeof(connectives[0]); i++) {
        if (litmus_lexer_at(&reader->lexer, connectives[i].text))
            return &connectives[i];
    }
    return NULL;
}

static uint32_t read_property(struct litmus_reader *reader, int precedence)
{
    const struct connective *c;
    uint32_t left = read_primary(reader);

    while ((c = current_connective(reader)) && c->precedence >= precedence) {
        litmus_lexer_next(&reader->lexer);
        litmus_reader_enter(reader);
        uint32_t right = read_property(reader, c->precedence + !c->right);
        reader->depth--;
        left = add_node(reader, (struct litmus_node){.kind = c->kind, .a = left, .b = right});
    }
    return left;
}

/* "locations [x; 0:EAX; a;]": more to show. A type may follow each. */
static void read_locations(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;

    litmus_lexer_expect(lexer, "[");
    while (!litmus_lexer_at(lexer, "]")) {
        uint32_t decl = litmus_reader_find(reader, &lexer->token);
        if (decl != LITMUS_NONE && reader->out->program.decls[decl].is_array) {
            litmus_lexer_next(lexer);
            bool one = litmus_lexer_at(lexer, "[");
            uint32_t first = read_index(reader, decl, false);
            uint32_t end = one ? first + 1 : reader->out->program.decls[decl].count;
            for (uint32_t i = first; i < end; i++)
                observe(reader->out, cell_location(reader, decl, i, LITMUS_CELL));
        } else {
            observe(reader->out, read_location(reader));
        }
        if (litmus_type_starts(reader)) {
            struct litmus_type type = litmus_type_read(reader);
            litmus_type_read_stars(reader, &type);
        }
        litmus_lexer_accept(lexer, "*");
        if (!litmus_lexer_at(lexer, "]"))
            litmus_lexer_expect(lexer, ";");
    }
    litmus_lexer_next(lexer);
}

/* herd7 takes a test without a condition as one that asks nothing. If it does not even say what to show, we take it to be cut
 * off. */
static void read_quantified(struct litmus_reader *reader, bool has_locations)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct litmus *litmus = reader->out;

    litmus->quantifier = LITMUS_EXISTS;
    if (lexer->token.kind == TOKEN_END && has_locations) {
        litmus->quantifier = LITMUS_FORALL;
        litmus->condition = add_node(reader, (struct litmus_node){.kind = LITMUS_TRUE});
        return;
    }
    if (litmus_lexer_accept(lexer, "~") || litmus_lexer_accept(lexer, "not")) {
        litmus->quantifier = LITMUS_NOT_EXISTS;
        litmus_lexer_expect(lexer, "exists");
    } else if (litmus_lexer_accept(lexer, "forall")) {
        litmus->quantifier = LITMUS_FORALL;
    } else if (!litmus_lexer_accept(lexer, "exists") && !litmus_lexer_accept(lexer, "final") &&
               !litmus_lexer_at(lexer, "(")) {
        litmus_lexer_fail(lexer, "expected 'exists', '~exists' or 'forall', found %s",
                          token_show(&lexer->token).text);
    }
    litmus->condition = read_property(reader, 1);
}

/* herd7's order: registers by thread, then memory by name. */
static int compare_observed(const struct litmus *litmus, uint32_t a, uint32_t b)
{
    const struct litmus_location *x = &litmus->locations[a], *y = &litmus->locations[b];

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->kind == LITMUS_CELL) {
        int order =
            strcmp(litmus->program.decls[x->decl].name, litmus->program.decls[y->decl].name);
        return order ? order : (x->index > y->index) - (x->index < y->index);
    }
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1) : strcmp(x->name, y->name);
}

/* Insertion sort: a state shows a handful of locations, already nearly in order. */
static void sort_observed(struct litmus *litmus)
{
    for (uint32_t i = 1; i < litmus->observed_count; i++) {
        uint32_t moved = litmus->observed[i], j = i;
        for (; j > 0 && compare_observed(litmus, litmus->observed[j - 1], moved) > 0; j--)
            litmus->observed[j] = litmus->observed[j - 1];
        litmus->observed[j] = moved;
    }
}

void litmus_condition_read(struct litmus_reader *reader)
{
    struct litmus_lexer *lexer = &reader->lexer;
    struct litmus *litmus = reader->out;
    bool has_locations = litmus_lexer_accept(lexer, "locations");

    if (has_locations)
        read_locations(reader);
    if (litmus_lexer_accept(lexer, "filter"))
        litmus->filter = read_property(reader, 1);
    uint32_t first = litmus->node_count;
    read_quantified(reader, has_locations);
    litmus_lexer_accept(lexer, ";");
    if (lexer->token.kind != TOKEN_END)
        litmus_lexer_fail(lexer, "unexpected %s after the condition",
                          token_show(&lexer->token).text);
    for (uint32_t i = first; i < litmus->node_count; i++) {
        if (litmus->nodes[i].kind != LITMUS_EQUAL)
            continue;
        observe(litmus, litmus->nodes[i].a);
        if (litmus->nodes[i].b != LITMUS_NONE)
            observe(litmus, litmus->nodes[i].b);
    }
    sort_observed(litmus);
}
