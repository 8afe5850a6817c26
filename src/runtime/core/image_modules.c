/* Which memory of the loaded modules belongs to the image. */

#include "runtime/core/image.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "runtime/hooks.h"

#define PAGE ((uintptr_t)4096)

struct search {
    image_filter *filter;
    void *context;
};

bool image_holds(const struct dl_phdr_info *info, uintptr_t addr)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];

        if (header->p_type == PT_LOAD && addr - info->dlpi_addr - header->p_vaddr < header->p_memsz)
            return true;
    }
    return false;
}

/* Ourselves, the dynamic linker and the vdso: they hold state of the process, not of the program.
 * */
static bool module_is_excluded(const struct dl_phdr_info *info)
{
    return image_holds(info, (uintptr_t)&image_add_modules) ||
           image_holds(info, getauxval(AT_BASE)) || image_holds(info, getauxval(AT_SYSINFO_EHDR));
}

/* Adds [low, high), if there is any. A last page that is not filled belongs to nobody else: in a
 * large piece it is better tracked with the others than copied each time. */
static int piece_add(uintptr_t low, uintptr_t high)
{
    if (low >= high)
        return 0;
    if (high - low > IMAGE_WHOLE)
        high = (high + PAGE - 1) & ~(PAGE - 1);
    return image_add_range((void *)low, high - low);
}

static int segment_add(const struct dl_phdr_info *info, const ElfW(Phdr) * segment)
{
    uintptr_t low = info->dlpi_addr + segment->p_vaddr;
    uintptr_t high = low + segment->p_memsz;
    uintptr_t relro_low = high, relro_high = high;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;

        if (header->p_type != PT_GNU_RELRO || start >= high || start + header->p_memsz <= low)
            continue;
        /* The dynamic linker rounds both ends down. */
        relro_low = start & ~(PAGE - 1);
        relro_high = (start + header->p_memsz) & ~(PAGE - 1);
    }
    return piece_add(low, relro_low) || piece_add(relro_high > low ? relro_high : low, high) ? -1
                                                                                             : 0;
}

static int module_add(struct dl_phdr_info *info, size_t size, void *data)
{
    const struct search *search = data;

    (void)size;
    if (module_is_excluded(info) || !search->filter(search->context, info->dlpi_name, info))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];

        if (header->p_type == PT_LOAD && header->p_flags & PF_W && segment_add(info, header))
            return -1;
        /* Its pages are shared with the thread's descriptor, to which the kernel writes (rseq). */
        if (header->p_type == PT_TLS && info->dlpi_tls_data &&
            image_add_copied(info->dlpi_tls_data, header->p_memsz))
            return -1;
    }
    return 0;
}

int image_add_modules(image_filter *filter, void *context)
{
    struct search search = {filter, context};

    return dl_iterate_phdr(module_add, &search);
}

bool image_is_system(const char *name)
{
    static const char *const stems[] = {
        "libc.so",  "libm.so",      "libstdc++.so", "libgcc_s.so", "libpthread.so", "librt.so",
        "libdl.so", "libresolv.so", "libatomic.so", "libc++.so",   "libc++abi.so"};
    const char *slash = strrchr(name, '/');

    name = slash ? slash + 1 : name;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        if (!strncmp(name, stems[i], strlen(stems[i])))
            return true;
    }
    return false;
}

bool image_is_sanitizer(const char *name)
{
    static const char *const stems[] = {"libasan.so", "libubsan.so", "liblsan.so", "libtsan.so",
                                        "libclang_rt."};
    const char *slash = strrchr(name, '/');

    name = slash ? slash + 1 : name;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        if (!strncmp(name, stems[i], strlen(stems[i])))
            return true;
    }
    return false;
}

/* How a symbol is looked for: by the beginning of its name; also if the module defines it itself. */
enum search_flag { SEARCH_PREFIX = 1, SEARCH_DEFINED = 2 };

/* Whether the module needs a symbol of that name. */
static bool module_needs(const struct dl_phdr_info *info, const char *name, unsigned flags)
{
    const ElfW(Dyn) *entry = NULL;
    const ElfW(Sym) *symbol = NULL;
    const char *strings = NULL;
    size_t size = 0;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    }
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            symbol = (const ElfW(Sym) *)entry->d_un.d_ptr; /* glibc has relocated it */
        else if (entry->d_tag == DT_STRTAB)
            strings = (const char *)entry->d_un.d_ptr;
        else if (entry->d_tag == DT_STRSZ)
            size = entry->d_un.d_val;
    }
    /* No entry tells the number of symbols. The linkers put the strings after them, perhaps with
     * other tables between, which are harmless when read as symbols. */
    for (; symbol && strings && (const char *)(symbol + 1) <= strings; symbol++) {
        if ((symbol->st_shndx == SHN_UNDEF || flags & SEARCH_DEFINED) && symbol->st_name < size &&
            !strncmp(strings + symbol->st_name, name, strlen(name) + !(flags & SEARCH_PREFIX)))
            return true;
    }
    return false;
}

bool image_is_instrumented(const struct dl_phdr_info *info)
{
    return !module_is_excluded(info) && module_needs(info, "__raddle_", SEARCH_PREFIX);
}

static int module_calls(struct dl_phdr_info *info, size_t size, void *name)
{
    (void)size;
    return image_is_instrumented(info) && module_needs(info, name, 0);
}

bool image_calls(const char *name)
{
    return dl_iterate_phdr(module_calls, (void *)name) != 0;
}

static int module_refers(struct dl_phdr_info *info, size_t size, void *name)
{
    (void)size;
    return !module_is_excluded(info) && module_needs(info, name, 0);
}

bool image_refers(const char *name)
{
    return dl_iterate_phdr(module_refers, (void *)name) != 0;
}

/* ---- code */

struct brand_search {
    const char *brand;
    uintptr_t at;
    bool found;
};

/* Only in memory that a module has mapped: what lies in front of a function need not be readable. */
static int brand_look(struct dl_phdr_info *info, size_t size, void *context)
{
    struct brand_search *search = context;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t offset = search->at - info->dlpi_addr - header->p_vaddr;

        if (header->p_type != PT_LOAD || !(header->p_flags & PF_R) || offset >= header->p_memsz ||
            offset < HOOK_BRAND_SIZE)
            continue;
        search->found =
            memcmp((const char *)search->at - HOOK_BRAND_SIZE, search->brand, HOOK_BRAND_SIZE) == 0;
        return 1;
    }
    return 0;
}

static bool has_brand(const void *function, const char *brand)
{
    struct brand_search search = {.at = (uintptr_t)function, .brand = brand};

    dl_iterate_phdr(brand_look, &search);
    return search.found;
}

bool image_is_framed_code(const void *function)
{
    return has_brand(function, HOOK_BRAND);
}

bool image_is_instrumented_code(const void *function)
{
    return image_is_framed_code(function) || has_brand(function, HOOK_BRAND_FRAMELESS);
}

static int module_names(struct dl_phdr_info *info, size_t size, void *name)
{
    (void)size;
    return image_is_instrumented(info) && module_needs(info, name, SEARCH_DEFINED);
}

bool image_names(const char *name)
{
    return dl_iterate_phdr(module_names, (void *)name) != 0;
}
