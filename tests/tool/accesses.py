#!/usr/bin/env python3
"""A program with a variant for each access in the rows of src/runtime/library/library.def.

accesses.py ROWS RECIPES PROTOTYPES >program.c

Each variant calls one function, while another thread makes a plain access that conflicts with what the row says of it. How a function is
called follows from its row and its prototype; RECIPES has what does not. PROTOTYPES is what clang's -ast-dump says of the headers.
Prints the numbers of the variants, with their names, to standard error.
"""
import ctypes
import re
import sys

ROW = re.compile(r'^LIBRARY\((\w+), (\w+), (.*)\)$')
ACCESS = re.compile(r'(\w+)(?:\(((?:[^()]|\([^()]*\))*)\))?')
SIZE = re.compile(r'(\w+)(?:\(([^()]*)\))?')
# of the runtime of C++, with names that C cannot say; or nothing but the accesses of others
SKIPPED = re.compile(r'^(_Z|__cxa_|__dynamic_cast|_Unwind|raddle_|__VERIFIER)')


def arguments(text):
    """Splits at the commas outside of parentheses."""
    parts, depth = [''], 0
    for c in text or '':
        depth += {'(': 1, ')': -1}.get(c, 0)
        if c == ',' and depth == 0:
            parts.append('')
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


def rows_read(path):
    rows = []
    for line in open(path):
        m = ROW.match(line.strip())
        if m and not SKIPPED.match(m[1]):
            rows.append((m[1], [(a[1], arguments(a[2])) for a in ACCESS.finditer(m[3])]))
    return rows


def recipes_read(path):
    """name name…: key = value; …   the keys: the number of an argument, before, call, count, skip"""
    recipes = {}
    for line in open(path):
        line = line.rstrip('\n')
        if not line or line.startswith('#'):
            continue
        names, rest = line.split(':', 1)
        values = dict((k.strip(), v.strip()) for k, v in (p.split('=', 1) for p in re.split(r';;', rest) if p.strip()))
        for name in names.split():
            recipes.setdefault(name, {}).update(values)
    return recipes


def prototypes_read(path):
    types = {}
    for line in open(path):
        m = re.search(r"FunctionDecl .* (\w+) '([^']*)'", line)
        if m:
            types.setdefault(m[1], m[2])
    return types


def parameters(type_):
    """Those of a function type such as 'int (const char *, void (*)(int), ...)'."""
    depth, start = 0, None
    for i, c in enumerate(type_):
        if c == '(' and depth == 0:
            start = i
        depth += {'(': 1, ')': -1}.get(c, 0)
        if c == ')' and depth == 0:
            inside = type_[start + 1:i]
            return [] if inside == 'void' else arguments(inside)
    return []


def size_values(size, values):
    """What the arguments that a size names should be."""
    name, of = SIZE.match(size)[1], arguments(SIZE.match(size)[2])
    if name in ('ARG', 'DONE_ARG', 'GOT', 'GOT_TEXT', 'DONE_TEXT', 'PRINTED', 'PRINTED_WIDE', 'TEXT_UPTO', 'WIDE_UPTO'):
        values[int(of[0])] = '64' if name != 'ARG' else '16'
    elif name == 'TIMES':
        values[int(of[0])] = '1'
    elif name in ('PRODUCT', 'GOT_ITEMS'):
        values[int(of[0])], values[int(of[1])] = '8', '1'
    elif name == 'SEEK':
        values[int(of[0])], values[int(of[1])] = "'7'", '1'
    elif name == 'FAMILY':
        values[int(of[0])] = 'AF_INET'
    elif name in ('SEEK_TEXT', 'SEEK_WIDE'):
        values[int(of[0])] = "'7'"
    elif name == 'LIKE_UPTO':
        values[int(of[1])] = '1'
    elif name == 'GOT_EACH':
        values[int(of[1])] = '4'


POINTS = {'READS', 'WRITES', 'APPENDS', 'COMPARES', 'FOLDED', 'COMPARES_WIDE', 'PRINTS', 'VPRINTS', 'SCANS', 'VSCANS', 'ENDS', 'TOKEN', 'LINE', 'OBJECT',
          'READS_VECTORS', 'WRITES_VECTORS', 'READS_MESSAGE', 'WRITES_MESSAGE', 'VARIES', 'FREES'}


COMPARING = {'COMPARES', 'FOLDED', 'COMPARES_WIDE'}
PATHS = {'LOOKS_UP', 'CHANGES', 'OPENS', 'OPENS_STREAM', 'CHANGES_FILE'}


def plan(accesses):
    """Values of arguments, and how their memory begins."""
    values, begins = {}, []
    for kind, of in accesses:
        if kind in ('READS', 'WRITES', 'APPENDS'):
            size_values(of[1], values)
    for kind, of in accesses:
        if kind not in POINTS or of[0] == 'NO_ARG':
            continue
        arg = int(of[0])
        values[arg] = f'(void *)A[{arg}]'
        if kind in COMPARING or kind == 'LINE':
            values[int(of[1])] = f'(void *)A[{int(of[1])}]'
        if kind in ('READS', 'APPENDS') and SIZE.match(of[1])[1] in ('TEXT', 'TEXT_UPTO', 'SEEK', 'SEEK_TEXT') or kind == 'APPENDS':
            begins.append(f'strcpy(A[{arg}], "7");')
        elif kind == 'READS' and SIZE.match(of[1])[1] in ('WIDE', 'WIDE_UPTO', 'SEEK_WIDE'):
            begins.append(f'wcscpy((void *)A[{arg}], L"7");')
        elif kind in COMPARING:
            begins += [f'wcscpy((void *)A[{i}], L"7");' if 'WIDE' in kind else f'strcpy(A[{i}], "7");' for i in (arg, int(of[1]))]
            if of[2] != 'NO_ARG':
                values[int(of[2])] = '2'
        elif kind in ('PRINTS', 'VPRINTS', 'SCANS', 'VSCANS'):
            begins.append(f'strcpy(A[{arg}], "x");')
            if kind in ('VPRINTS', 'VSCANS'):
                values[arg + 1] = 'L'
        elif kind.endswith('_VECTORS'):
            begins.append(f'vector_make(A[{arg}]);')
            values[int(of[1])] = '1'
        elif kind.endswith('_MESSAGE'):
            begins.append(f'message_make(A[{arg}]);')
    for kind, of in accesses:
        if kind in ('STREAM', 'STREAM_ASKS'):
            values[int(of[0])] = 'F'
        elif kind == 'DIRECTORY':
            values[int(of[0])] = 'D'
        elif kind in PATHS and of[0].isdigit():
            begins.append(f'strcpy(A[{of[0]}], "file");')
    return values, begins


def value_default(type_):
    if '(*)' in type_:
        return '(void *)order'
    if type_.startswith('FILE') or type_.startswith('struct _IO_FILE'):
        return 'F'
    if type_.startswith('DIR'):
        return 'D'
    if type_ in ('pthread_t', 'thrd_t'):
        return 'pthread_self()'
    if type_ in ('double', 'float', 'long double'):
        return '1.5'
    if 'char *' in type_:
        return '"7"'
    return '0'


def call_of(name, accesses, recipe, type_):
    values, begins = plan(accesses)
    for key, value in recipe.items():
        if key.isdigit():
            values[int(key)] = value
    types = parameters(type_) if type_ else None
    count = len([t for t in types if t != '...']) if types is not None else max([5, *values]) + 1
    count = int(recipe.get('count', max([count] + [v + 1 for v in values if types is None or '...' in types])))
    args = [values.get(i, value_default(types[i]) if types and i < len(types) and types[i] != '...' else '0') for i in range(count)]
    if 'before' in recipe:
        begins.append(recipe['before'])
    return args, begins


STANDARD = {'STREAM_INPUT': 'stdin', 'STREAM_OUTPUT': 'stdout', 'STREAM_ERROR': 'stderr'}


def targets(name, accesses):
    """(what, address, conflicting access) for each access."""
    found = []
    for kind, of in accesses:
        at = f'A[{of[0]}]' if of and of[0].isdigit() else None
        if kind in ('READS', 'OBJECT', 'PRINTS', 'SCANS'):
            found.append((f'{kind} {of[0]}', at, 'poke'))
        elif kind in ('WRITES', 'FREES'):
            found.append((f'{kind} {of[0]}', at, 'peek'))
        elif kind in ('VPRINTS', 'VSCANS'):
            found += [(f'{kind} {of[0]}', at, 'poke'), (f'{kind} list', '(char *)L', 'peek')]
        elif kind == 'APPENDS':
            found += [(f'{kind} {of[0]}', at, 'poke'), (f'{kind} {of[0]} end', at + ' + 1', 'peek')]
        elif kind in COMPARING:
            found += [(f'{kind} {of[0]}', at, 'poke'), (f'{kind} {of[1]}', f'A[{of[1]}]', 'poke')]
        elif kind == 'ENDS':
            found.append((f'{kind} {of[0]}', at, 'peek'))
        elif kind == 'LINE':
            found += [(f'{kind} {of[0]}', at, 'peek'), (f'{kind} {of[1]}', f'A[{of[1]}]', 'peek')]
        elif kind == 'TOKEN' and at:
            found.append((f'{kind} {of[0]}', at, 'poke'))
        elif kind.endswith('_VECTORS') or kind.endswith('_MESSAGE'):
            found += [(f'{kind} {of[0]}', at, 'poke'), (f'{kind} data', 'V', 'poke' if kind[0] == 'R' else 'peek')]
        elif kind in ('STREAM', 'STREAM_ASKS', 'STREAM_FIXED'):
            found.append((kind, '(char *)' + ('D' if 'dir' in name else 'F'), 'poke'))
        elif kind in STANDARD:
            found.append((kind, '(char *)' + STANDARD[kind], 'poke'))
        elif kind == 'DIRECTORY':
            found.append((kind, '(char *)D', 'poke'))
        elif kind == 'RACY':
            found.append((kind, None, 'again'))
        elif kind == 'VARIES':
            found.append((f'{kind} {of[0]}', at, 'vary'))
        elif kind == 'ALLOCATES':
            found.append((kind, None, 'published'))
    return found


def main():
    rows, recipes, types = rows_read(sys.argv[1]), recipes_read(sys.argv[2]), prototypes_read(sys.argv[3])
    known = {name for name, _ in rows}
    for name in recipes:
        if name not in known:
            sys.exit(f'accesses: a recipe for {name}, which has no row')
    libraries = [ctypes.CDLL(name) for name in ('libc.so.6', 'libm.so.6')]
    variants = []
    print('#include "accesses.h"')
    for name, accesses in rows:
        recipe = recipes.get(name, {})
        found = targets(name, accesses)
        if not found or 'skip' in recipe:
            continue
        if name not in types and not any(hasattr(library, name) for library in libraries):
            continue  # of another version of libc
        args, begins = call_of(name, accesses, recipe, types.get(name))
        if name not in types:
            print(f'long {name}();')
        for what, at, how in found:
            if f'not {what}' not in recipe:
                variants.append((name, what, recipe.get(f'at {what}', at), recipe.get('vary', how) if how == 'vary' else how))
        print(f'static void begin_{name}(void) {{ {" ".join(begins)} }}')
        call = recipe.get('call', f'f({", ".join(args)})')
        allocates = any(kind == 'ALLOCATES' for kind, _ in accesses)
        for way, function in (('', name), ('_pointer', f'(*({"__typeof__(" + name + ")"} *volatile *)&P)')):
            set_ = f'P = (void *)(long){name}; ' if way else ''
            made = call.replace('f(', function + '(', 1)
            made = f'atomic_store_explicit(&R, {made}, memory_order_relaxed)' if allocates else made
            print(f'static void call_{name}{way}(void) {{ {set_}(void)({made}); }}')
    for i, (name, what, at, how) in enumerate(variants):
        print(f'static char *at_{i}(void) {{ return (char *)({at if at else "0"}); }}')
    print('static const struct variant variants[] = {')
    for i, (name, what, at, how) in enumerate(variants):
        print(f'    {{"{name}", begin_{name}, call_{name}, call_{name}_pointer, {how}, at_{i}}},')
        print(i, name, what, sep='\t', file=sys.stderr)
    print('};')
    print('int main(int count, char **words) { return run(variants, count, words); }')


main()
