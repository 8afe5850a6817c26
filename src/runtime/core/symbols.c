#include "runtime/core/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/core/kernel.h"

/* A module's file in memory, and where the module was loaded. The files stay mapped: names point into them. */
struct module {
    const char *file;
    size_t length;
    uint64_t base;
};

#define MODULES_MAX 64

static struct {
    struct module at[MODULES_MAX];
    unsigned count;
    bool known;
} modules; /* outlives a run: the files do not change */

static bool file_map(const char *path, struct module *module)
{
    int fd = (int)syscall(SYS_open, path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *at = MAP_FAILED;

    if (fd < 0)
        return false;
    if (syscall(SYS_fstat, fd, &status) == 0 && status.st_size > (off_t)sizeof(Elf64_Ehdr))
        at = (void *)syscall(SYS_mmap, NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0L);
    kernel_close(fd);
    if (at == MAP_FAILED)
        return false;
    module->file = at;
    module->length = (size_t)status.st_size;
    return true;
}

static int module_add(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";

    (void)size;
    (void)context;
    if (modules.count == MODULES_MAX || !file_map(path, &modules.at[modules.count]))
        return 0;
    modules.at[modules.count++].base = info->dlpi_addr;
    return 0;
}

static const void *module_at(const struct module *module, uint64_t offset, uint64_t size)
{
    return offset <= module->length && size <= module->length - offset ? module->file + offset
                                                                       : NULL;
}

static const Elf64_Shdr *module_section(const struct module *module, unsigned i)
{
    const Elf64_Ehdr *header = module_at(module, 0, sizeof *header);

    if (!header || i >= header->e_shnum)
        return NULL;
    return module_at(module, header->e_shoff + (uint64_t)i * sizeof(Elf64_Shdr),
                     sizeof(Elf64_Shdr));
}

static bool symbol_covers(const Elf64_Sym *symbol, uint64_t addr)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);

    return (type == STT_OBJECT || type == STT_FUNC) && symbol->st_shndx != SHN_UNDEF &&
           addr - symbol->st_value < symbol->st_size;
}

static const char *module_find(const struct module *module, uint64_t addr, uint64_t *offset)
{
    const Elf64_Shdr *table, *strings;

    for (unsigned i = 0; (table = module_section(module, i)); i++) {
        if (table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM)
            continue;
        strings = module_section(module, table->sh_link);
        for (uint64_t k = 0; strings && k < table->sh_size / sizeof(Elf64_Sym); k++) {
            const Elf64_Sym *symbol =
                module_at(module, table->sh_offset + k * sizeof *symbol, sizeof *symbol);

            if (!symbol)
                break;
            if (!symbol_covers(symbol, addr - module->base))
                continue;
            *offset = addr - module->base - symbol->st_value;
            return module_at(module, strings->sh_offset + symbol->st_name, 1);
        }
    }
    return NULL;
}

static void modules_open(void)
{
    if (!modules.known)
        dl_iterate_phdr(module_add, NULL);
    modules.known = true;
}

static const Elf64_Shdr *section_find(const struct module *module, const char *section)
{
    const Elf64_Ehdr *header = module_at(module, 0, sizeof *header);
    const Elf64_Shdr *names = header ? module_section(module, header->e_shstrndx) : NULL;
    const Elf64_Shdr *found;

    for (unsigned k = 0; names && (found = module_section(module, k)); k++) {
        const char *name =
            module_at(module, names->sh_offset + found->sh_name, strlen(section) + 1);

        if (name && memcmp(name, section, strlen(section) + 1) == 0)
            return found;
    }
    return NULL;
}

bool symbols_section(unsigned i, const char *section, const void **start, uint64_t *bytes)
{
    modules_open();
    for (unsigned m = 0; m < modules.count; m++) {
        const Elf64_Shdr *found = section_find(&modules.at[m], section);

        if (!found || i-- > 0)
            continue;
        *start = (const void *)(uintptr_t)(modules.at[m].base + found->sh_addr);
        *bytes = found->sh_size;
        return true;
    }
    return false;
}

bool symbols_in_section(uint64_t addr, const char *section)
{
    modules_open();
    for (unsigned i = 0; i < modules.count; i++) {
        const Elf64_Shdr *found = section_find(&modules.at[i], section);

        if (found && addr - modules.at[i].base - found->sh_addr < found->sh_size)
            return true;
    }
    return false;
}

const char *symbols_find(uint64_t addr, uint64_t *offset)
{
    modules_open();
    for (unsigned i = 0; i < modules.count; i++) {
        const char *name = module_find(&modules.at[i], addr, offset);

        if (name)
            return name;
    }
    return NULL;
}
