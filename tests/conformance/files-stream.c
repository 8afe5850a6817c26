// Streams.
#include "conform.h"
#include <dirent.h>
#include <sys/stat.h>

static char buffer[BUFSIZ], large[2 * BUFSIZ];

static void reads(void)
{
    FILE *f = PTR(fopen64("conform.file", "r"));

    SYS(setvbuf(f, buffer, _IOFBF, 16));
    memset(large, 0, sizeof large);
    NUM(fread(large, 1, 4, f));
    TEXT(large);
    NUM(fread_unlocked(large, 2, 100, f));
    NUM(feof(f) != 0);
    NUM(ferror(f));
    NUM(ftell(f));
    SYS(fseek(f, 1, SEEK_SET));
    NUM(fgetc(f));
    TEXT(fgets(large, 5, f));
    SYS(fclose(f));
}

static void directory(void)
{
    DIR *d;
    struct dirent *entry;
    int found = 0;

    SYS(mkdir("conform.dir", 0700));
    close(creat("conform.dir/a", 0600));
    d = PTR(opendir("conform.dir"));
    while ((entry = readdir(d)))
        found += strcmp(entry->d_name, "a") == 0 || strcmp(entry->d_name, ".") == 0;
    NUM(found);
    NUM(dirfd(d));
    SYS(closedir(d));
    PTR(opendir("conform.none"));
    PTR(opendir("conform.dir/a"));
    d = opendir("conform.dir");
    NUM(getdents64(dirfd(d), large, sizeof large) > 0);
    closedir(d);
    SYS(unlink("conform.dir/a"));
    SYS(rmdir("conform.dir"));
}

static void program(void)
{
    FILE *f, *g;

    f = PTR(fopen("conform.file", "w+"));
    NUM(fileno(f));
    setbuf(f, buffer);
    SYS(fprintf(f, "%s %d", "text", 5));
    SYS(fflush(f));
    NUM(fwrite("abc", 1, 3, f));
    SYS(fclose(f));
    reads();
    PTR(fopen("conform.none", "r"));
    PTR(fopen("conform.file", "wrong"));
    f = PTR(tmpfile());
    setbuffer(f, large, 100);
    SYS(fputs("x", f));
    SYS(fclose(f));
    f = PTR(tmpfile64());
    f = PTR(freopen("conform.file", "r", f));
    NUM(fgetc(f));
    f = PTR(freopen64("conform.file", "a", f));
    SYS(fputc('q', f));
    SYS(fclose(f));
    g = PTR(fdopen(open("conform.file", O_RDONLY), "r"));
    SYS(fseek(g, -1, SEEK_END));
    NUM(fgetc(g));
    SYS(fclose(g));
    PTR(fdopen(999, "r"));
    SYS(unlink("conform.file"));
    directory();
}
