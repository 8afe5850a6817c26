# What `raddle replay --gdb` loads into gdb: stacks without the frames of raddle's runtime, the program's frame selected at the
# bug, and threads by the numbers of the report (T0, T1 ...).
import os
import re

import gdb

RUNTIME = "libraddle.so"
NAME = re.compile(r"^T(\d+)\b")


def library_of(frame):
    return os.path.basename(gdb.solib_name(frame.pc()) or "")


def is_runtime(frame):
    return library_of(frame) == RUNTIME


def is_program(frame):
    """Code of the program, or of a library, with debug information."""
    return not is_runtime(frame) and not is_libc(frame) and frame.name() is not None and frame.find_sal().symtab is not None


def is_libc(frame):
    return library_of(frame).startswith(("libc.so", "libpthread", "ld-linux"))


def is_call(frame):
    """A function of the runtime that the program calls by its usual name, such as pthread_mutex_lock."""
    name = frame.name() or ""
    older = frame.older()
    if name.startswith("_") or older is None or is_runtime(older):
        return False
    return is_program(older) and gdb.lookup_static_symbol(name) is None


def is_hidden(frame):
    """The runtime's own frames, and what libc does for them."""
    if is_runtime(frame):
        return not is_call(frame)
    if not is_libc(frame):
        return False
    newer, older = frame.newer(), frame.older()
    above = newer is None or is_hidden(newer)
    return above and older is not None and (is_runtime(older) or (is_libc(older) and is_hidden_below(older)))


def is_hidden_below(frame):
    while frame is not None and is_libc(frame):
        frame = frame.older()
    return frame is not None and is_runtime(frame)


class Frames:
    """Leaves out the frames of the runtime; the others keep their numbers, so that `frame N` finds them."""

    def __init__(self):
        self.name = "raddle"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        shown = False
        kept = []
        for decorator in frames:
            frame = decorator.inferior_frame()
            if is_hidden(frame):
                kept.append(decorator)
            else:
                shown = True
                yield decorator
        if not shown:  # of the engine's own thread there is nothing else
            yield from kept


def first_of_program():
    frame = gdb.newest_frame()
    while frame is not None and not is_program(frame):
        frame = frame.older()
    return frame


def start_function():
    """The outermost function of the program in the selected thread: where it started."""
    frame, name = gdb.newest_frame(), None
    while frame is not None:
        if is_program(frame):
            name = frame.name()
        frame = frame.older()
    return name


def number_of(thread):
    found = NAME.match(thread.name or "")
    return int(found.group(1)) if found else None


def threads():
    """The program's threads by their numbers in the report."""
    found = {}
    for thread in gdb.selected_inferior().threads():
        number = number_of(thread)
        if number is not None:
            found[number] = thread
    return found


class Select(gdb.Command):
    """Select a thread by its number in the report, and its innermost frame in the program."""

    def __init__(self, number):
        super().__init__("T%d" % number, gdb.COMMAND_STACK)
        self.number = number

    def invoke(self, argument, from_tty):
        thread = threads().get(self.number)
        if thread is None:
            raise gdb.GdbError("T%d does not run now; `threads` lists those that do" % self.number)
        before, frame_before = gdb.selected_thread(), gdb.selected_frame()
        thread.switch()
        frame = first_of_program()
        if frame is None:
            before.switch()
            frame_before.select()
            raise gdb.GdbError("T%d has ended, or has not begun" % self.number)
        frame.select()
        gdb.execute("frame", from_tty)


class Threads(gdb.Command):
    """List the threads of the program with their numbers in the report and where each is; `T1` selects one."""

    def __init__(self):
        super().__init__("threads", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        before = gdb.selected_thread()
        frame_before = gdb.selected_frame() if before else None
        for number, thread in sorted(threads().items()):
            thread.switch()
            frame = first_of_program()
            where = "has ended, or has not begun"
            if frame is not None:
                place = frame.find_sal()
                where = "%s at %s:%d" % (frame.name(), os.path.basename(place.symtab.filename), place.line)
            gdb.write("%s %-16s %s\n" % ("*" if before and thread.num == before.num else " ", thread.name, where))
        if before:
            before.switch()
            frame_before.select()


known = set()


def name_threads():
    """Adds the start function to the name of a thread, and a command that selects it."""
    before = gdb.selected_thread()
    for number, thread in threads().items():
        if number not in known:
            known.add(number)
            Select(number)
        if "(" not in thread.name:
            thread.switch()
            function = start_function()
            if function:
                thread.name = "T%d (%s)" % (number, function)
    if before:
        before.switch()


def stopped(event):
    try:
        name_threads()
        newest = gdb.newest_frame()
        if newest.name() != "__raddle_bug":
            return
        frame = first_of_program()
        if frame is not None:
            frame.select()
            gdb.execute("frame", False)
    except gdb.error:  # nothing runs, or the stack cannot be read: gdb tells that itself
        pass


Frames()
Threads()
gdb.events.stop.connect(stopped)
