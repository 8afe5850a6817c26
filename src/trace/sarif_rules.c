#include "trace/sarif_rules.h"

#include <string.h>

/* What each kind of bug is called, what it means, and what to do about it. */
static const struct rule {
    const char *kind, *name, *text, *help;
} rules[] = {
    {"assertion", "AssertionFails", "An assertion fails in some interleaving of the threads.",
     "raddle has run the program under an interleaving in which this assertion does not hold. The code flow shows that run, "
     "step by step. Look for a step of another thread between a check and the use of what was checked, or between a "
     "read and the write that depends on it."},
    {"deadlock", "Deadlock", "No thread can go on, and some have not finished.",
     "In the run that the code flow shows, every thread that is left waits: for a lock that another one holds, for a signal "
     "that has come too early, for a thread that waits itself. Take locks in one order everywhere; wait for a condition in a loop "
     "that tests it, with the lock held that its writers take."},
    {"data-race", "DataRace",
     "Two threads access the same memory, one of them writes, and nothing orders the two.",
     "C and C++ give no meaning to a program with a data race: compilers and processors may reorder, split or repeat the "
     "accesses. Protect both accesses by the same lock, or make the variable atomic with orders that let the writer "
     "happen before the reader."},
    {"crash", "Crash", "The program dies in some interleaving of the threads.",
     "A signal such as SIGSEGV or SIGABRT ends the program in the run that the code flow shows. Often one thread still uses what "
     "another one has freed, or has not yet set up."},
    {"misuse", "Misuse", "A call that its standard forbids in that state.",
     "For example: a mutex is unlocked by a thread that does not hold it, destroyed while it is held, or initialised twice. The "
     "standard leaves undefined what happens then."},
    {"memory", "MemoryError", "Memory is used that is not the program's to use, or not any more.",
     "A block is used after it was freed, freed twice, or accessed beyond its end, in the run that the code flow shows."},
    {"leak", "Leak", "Memory is not given back at the end.",
     "At the end of the run nothing points to this block any more. `--leaks` asks for this check."},
    {"exit", "ExitStatus",
     "The program ends with a status other than 0 in some interleaving of the threads.",
     "A test says by its exit status that it has failed. The code flow shows a run in which it does. `--exit-ok` takes every "
     "status to be fine."},
    {"spin", "EndlessLoop", "Loops wait for what nobody will change.",
     "All threads that are left run in loops, and none of them writes what another one waits for."},
    {"nondeterminism", "Nondeterminism", "The program does not do again what it did.",
     "With the same choices the program has taken another way. It depends on something that raddle does not control, such as "
     "the time, addresses of another process, or files that change."},
    {"lock-order", "LockOrder", "Threads take the same locks in different orders.",
     "Each of these threads takes a lock while it holds one that another of them waits for. No run that was explored ends in the "
     "deadlock, but nothing that raddle knows of rules it out. Take the locks in one order everywhere."},
};

#define RULES (sizeof rules / sizeof *rules)

int sarif_rule_of(const char *kind)
{
    for (size_t i = 0; i < RULES; i++)
        if (strcmp(rules[i].kind, kind) == 0)
            return (int)i;
    return -1;
}

json_t *sarif_rules(void)
{
    json_t *list = json_array();

    for (size_t i = 0; i < RULES; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:{s:s}, s:{s:s}, s:{s:s, s:s}, s:{s:s}, s:{s:[s]}}", "id",
                            rules[i].kind, "name", rules[i].name, "shortDescription", "text",
                            rules[i].text, "fullDescription", "text", rules[i].text, "help", "text",
                            rules[i].help, "markdown", rules[i].help, "defaultConfiguration",
                            "level", "error", "properties", "tags", "concurrency"));
    return list;
}
