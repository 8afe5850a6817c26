#ifndef RADDLE_RUNTIME_FILES_FILES_H
#define RADDLE_RUNTIME_FILES_FILES_H

/* Files: calls pass through, and are noted where a restart must undo them; and memory that the kernel is about to write is announced to the
 * image, which would make the call fail with EFAULT otherwise. Only calls of program threads are noted: those of the engine and of
 * constructors go straight on. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "runtime/core/image.h"
#include "runtime/program/interpose.h"
#include "runtime/program/streams.h"

/* ---- touch.c: the kernel may write `size` bytes there, at most as many as `fd` has if that is a file */
void files_touch_read(int fd, void *buffer, size_t size);

/* The program reads from a file, or writes to one, at its offset. */
void files_reading(int fd, void *buffer, size_t size);
void files_writing(int fd);

/* ---- open.c: the program got `fd` from the kernel, and a restart closes it. Returns the number that the thread sees. */
int files_opened(int fd);

/* ---- share.c: files that several threads use. Each does nothing while a thread is alone. */

/* The program asks for what the file of that name holds, or changes it. */
void files_named(int at, const char *path, bool writes);

/* The program changes what a file of that name says of itself, or takes the name away. */
void files_changed(int at, const char *path);

/* The program uses a name relative to the directory where it is, or goes to another one. */
void files_place(bool changes);

/* The program uses a stream: what it has read before and what it writes later, nobody but libc knows. In open.c. */
void files_stream(const FILE *stream);

/* What a descriptor stands for, as long as it does. */
void files_shared_opened(int fd);
void files_shared_copied(int from, int to);
void files_shared_closed(int fd);

/* The program reads or writes the file, at its offset if `moves`. False if `fd` has become something else at this step. */
bool files_shared(int fd, bool writes, bool moves);

/* What `fd` stands for, as objects of the model. False if that is no file that the program has opened. */
bool files_identity(int fd, uint64_t *file, uint64_t *description);

/* ---- lock.c */

/* fcntl: true if it was one of the commands that are done here, with what the call returns. */
bool files_lock_control(int fd, int command, void *argument, int *result);

/* The process locks a part of the file; and the last descriptor of an open file is closed. */
void files_lock_process(int fd);
void files_lock_closed(uint64_t description);

/* ---- share.c again */

/* The program has mapped the file, or takes such a mapping away, or may write to it from now on. The size in whole pages. */
void files_mapped(int fd, const void *start, size_t size, bool shared, bool writable);
void files_unmapped(const void *start, size_t size);
void files_mapped_writable(const void *start, size_t size);

#define FILES_HERE INT64_MIN

/* Reads from `at`, or at its offset if that is FILES_HERE, and lets the program's memory change by what came. */
ssize_t files_read_at(int fd, void *to, size_t n, int64_t at);

/* ---- files_request.c: calls that read and write what their argument points to, by what they ask for */

enum request_call { REQUEST_FCNTL, REQUEST_IOCTL, REQUEST_PRCTL };

#define REQUEST_UNKNOWN 4096 /* bytes that a request without a row may write */

/* Around the call: its accesses count, and the kernel can write where it must. The second returns `result`. */
void request_begin(enum request_call call, unsigned long number, void *argument);
int request_end(enum request_call call, unsigned long number, void *argument, int result);

#endif
