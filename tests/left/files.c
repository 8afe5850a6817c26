// What a run does to files, the next one does not find: each run sees them as tests/tool/left.sh has made them before the search.
// EXPECT(-DWRITE): safe executions=2
// EXPECT(-DAPPEND -DASSERTS): assertion
// EXPECT(-DDIRECTORY -DASSERTS): assertion
// EXPECT(-DAPPEND): safe executions=2
// EXPECT(-DSTREAM): safe executions=2
// EXPECT(-DMAPPED): safe executions=2
// EXPECT(-DTRUNCATE): safe executions=2
// EXPECT(-DUNLINK): safe executions=2
// EXPECT(-DRENAME): safe executions=2
// EXPECT(-DRENAME_OVER): safe executions=2
// EXPECT(-DMOVE_DIRECTORY): safe executions=2
// EXPECT(-DCHMOD): safe executions=2
// EXPECT(-DTIMES): safe executions=2
// EXPECT(-DATTRIBUTE): safe executions=2
// EXPECT(-DRMDIR): safe executions=2
// EXPECT(-DBY_LINK): safe executions=2
// EXPECT(-DBY_NUMBER): safe executions=2
// EXPECT(-DDIRECTORY): safe executions=2
// EXPECT(-DSHARED_MEMORY): safe executions=2
// EXPECT(-DHARD): incomplete says=one of several names
// EXPECT(-DLARGE): incomplete says=too large to be put back
// EXPECT(-DKERNEL): incomplete says=cannot be put back
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

static atomic_int x;

static void fill(const char *path, const char *text)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0640);

    assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void as_before(void)
{
    char text[8] = "";
    struct stat status;
    int fd = open("two", O_RDONLY);

    assert(fd >= 0 && read(fd, text, sizeof text - 1) == 3 && strcmp(text, "two") == 0);
    close(fd);
    assert(stat("two", &status) == 0 && (status.st_mode & 07777) == 0640 && status.st_mtime == 2000000);
    assert(stat("there/one", &status) == 0 && status.st_size == 3);
    assert(stat("empty", &status) == 0 && S_ISDIR(status.st_mode));
    assert(lstat("way", &status) == 0 && S_ISLNK(status.st_mode));
    assert(lstat("new", &status) == -1 && errno == ENOENT);
    assert(lstat("new/inner", &status) == -1);
}

static void change(void)
{
    int fd = -1;

#if defined WRITE
    fd = open("two", O_WRONLY);
    assert(write(fd, "x", 1) == 1);
#elif defined APPEND
    fd = open("two", O_RDWR | O_APPEND);
    assert(write(fd, "x", 1) == 1);
#elif defined STREAM
    FILE *file = fopen("two", "w");

    fprintf(file, "another");
    fclose(file);
#elif defined MAPPED
    char *memory;

    fd = open("two", O_RDWR);
    memory = mmap(NULL, 3, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert(memory != MAP_FAILED);
    memory[0] = 'x';
#elif defined TRUNCATE
    assert(truncate("two", 1) == 0);
#elif defined UNLINK
    assert(unlink("two") == 0 && remove("way") == 0);
#elif defined RENAME
    assert(rename("two", "new") == 0);
#elif defined RENAME_OVER
    assert(rename("there/one", "two") == 0);
#elif defined MOVE_DIRECTORY
    assert(rename("there", "new") == 0 && unlink("new/one") == 0);
    fd = open("new/inner", O_CREAT | O_WRONLY, 0600);
    assert(mkdir("there", 0700) == 0);
    fill("there/one", "something else");
#elif defined CHMOD
    assert(chmod("two", 0600) == 0);
    fd = open("there/one", O_RDONLY);
    assert(fchmod(fd, 0) == 0 && chmod("empty", 0700) == 0);
#elif defined TIMES
    struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};

    fd = open("two", O_RDONLY);
    assert(futimens(fd, now) == 0);
#elif defined ATTRIBUTE
    assert(getxattr("two", "user.raddle", NULL, 0) == -1);
    setxattr("two", "user.raddle", "x", 1, 0);
#elif defined RMDIR
    assert(rmdir("empty") == 0);
#elif defined BY_LINK
    fd = open("way", O_WRONLY | O_TRUNC);
#elif defined BY_NUMBER
    assert(syscall(SYS_unlink, "two") == 0 && syscall(SYS_mkdir, "new", 0700) == 0);
#elif defined DIRECTORY
    assert(mkdir("new", 0700) == 0);
    fd = open("new/inner", O_CREAT | O_EXCL | O_WRONLY, 0600);
    assert(fd >= 0);
#elif defined LINK
    assert(link("two", "new") == 0);
#elif defined SYMLINK
    assert(symlink("nowhere", "new") == 0);
    fd = open("new", O_CREAT | O_WRONLY, 0600);
#elif defined FIFO
    assert(mkfifo("new", 0600) == 0);
#elif defined SOCKET
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "new"};

    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
#elif defined SHARED_MEMORY
    fd = shm_open("/raddle-left-files", O_CREAT | O_EXCL | O_RDWR, 0600);
    assert(fd >= 0);
#elif defined HARD
    assert(unlink("other") == 0);
#elif defined LARGE
    fd = open("two", O_WRONLY);
#elif defined KERNEL
    fd = open("/proc/self/comm", O_WRONLY);
#endif
    if (fd >= 0)
        close(fd);
}

static void *thread(void *arg)
{
    x = 1;
    return arg;
}

int main(void)
{
    pthread_t t;

#ifndef LARGE
    as_before();
#endif
    change();
    pthread_create(&t, NULL, thread, NULL);
#ifdef ASSERTS
    assert(x == 0); /* here */
#else
    assert(x <= 1);
#endif
    pthread_join(t, NULL);
    return 0;
}
