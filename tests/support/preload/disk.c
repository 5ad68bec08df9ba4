/* A library that is loaded before the C library, and whose writes and syncs of some files fail or are delayed.

   FAULTS_MATCH is a part of the paths of these files. FAULTS_FILE names a file with six numbers, which is read at every call: the errno and the rate of failing syncs, the
   errno and the rate of failing writes, whether a failing write writes the first half, and a delay of syncs in
   milliseconds. A rate of 3 lets one call in three fail. Each fault appends a byte to FAULTS_FILE.count. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SYNC_ERRNO, SYNC_RATE, WRITE_ERRNO, WRITE_RATE, TORN, DELAY_MILLIS, NUMBERS };

static unsigned long calls;

static int read_faults(int fd, int *faults) {
    char link[64], path[4096], text[256];
    const char *file = getenv("FAULTS_FILE"), *match = getenv("FAULTS_MATCH");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (file == NULL || match == NULL || size < 0) return 0;
    path[size] = 0;
    if (strstr(path, match) == NULL) return 0;
    int control = open(file, O_RDONLY);
    if (control < 0) return 0;
    size = read(control, text, sizeof text - 1);
    close(control);
    if (size < 0) return 0;
    text[size] = 0;
    return sscanf(text, "%d %d %d %d %d %d", faults, faults + 1, faults + 2, faults + 3, faults + 4, faults + 5) == NUMBERS;
}

static void count(char fault) {
    char path[4096];
    snprintf(path, sizeof path, "%s.count", getenv("FAULTS_FILE"));
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file < 0) return;
    syscall(SYS_write, file, &fault, 1);
    close(file);
}

static int sync_faulty(int fd, long number) {
    int faults[NUMBERS];
    if (read_faults(fd, faults)) {
        if (faults[DELAY_MILLIS]) {
            struct timespec delay = {faults[DELAY_MILLIS] / 1000, faults[DELAY_MILLIS] % 1000 * 1000000L};
            nanosleep(&delay, NULL);
            count('d');
        }
        if (faults[SYNC_RATE] && ++calls % faults[SYNC_RATE] == 0) {
            count('s');
            errno = faults[SYNC_ERRNO];
            return -1;
        }
    }
    return syscall(number, fd);
}

int fsync(int fd) { return sync_faulty(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_faulty(fd, SYS_fdatasync); }

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    int faults[NUMBERS];
    if (read_faults(fd, faults) && faults[WRITE_RATE] && ++calls % faults[WRITE_RATE] == 0) {
        if (faults[TORN]) syscall(SYS_pwrite64, fd, data, size / 2, at);
        count('w');
        errno = faults[WRITE_ERRNO];
        return -1;
    }
    return syscall(SYS_pwrite64, fd, data, size, at);
}

ssize_t write(int fd, const void *data, size_t size) {
    int faults[NUMBERS];
    if (read_faults(fd, faults) && faults[WRITE_RATE] && ++calls % faults[WRITE_RATE] == 0) {
        count('w');
        errno = faults[WRITE_ERRNO];
        return -1;
    }
    return syscall(SYS_write, fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }
