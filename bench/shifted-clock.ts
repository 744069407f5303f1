/** Shifts the clock of a program while it runs, with a library that `cc` compiles and the program preloads. */
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Reads the offset in seconds from a mapped file at each call, so that a write takes effect at once. */
const LIBRARY = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long *offset(void) {
  static volatile long *mapped;
  static long none;
  if (!mapped) {
    const char *path = getenv("SHIFTED_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *found = file < 0 ? MAP_FAILED : mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    mapped = found == MAP_FAILED ? &none : found;
  }
  return mapped;
}

int clock_gettime(clockid_t id, struct timespec *at) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(id, at);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += *offset();
  return result;
}

int gettimeofday(struct timeval *at, void *zone) {
  static int (*real)(struct timeval *, void *);
  if (!real) real = dlsym(RTLD_NEXT, "gettimeofday");
  int result = real(at, zone);
  if (result == 0 && at) at->tv_sec += *offset();
  return result;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
`

export async function openShiftedClocks(folder: string) {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  const source = join(folder, 'shifted-clock.c')
  const library = join(folder, 'shifted-clock.so')
  await writeFile(source, LIBRARY)
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  return async (name: string) => {
    const path = join(folder, `${name}.offset`)
    const set = (seconds: number) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64LE(BigInt(seconds))
      // Overwrites the bytes in place, because the program has mapped them.
      return writeFile(path, bytes, { flag: 'r+' })
    }
    await writeFile(path, Buffer.alloc(8), { mode: 0o644 })
    return { set, env: { LD_PRELOAD: library, SHIFTED_CLOCK: path } }
  }
}
