/* Calls one kernel on request, as a child process that may crash or hang.
 *
 * driver INPUT OUTPUT GUARD BYTES... SIZE... : INPUT holds the arrays one after the other, each led by
 * its length in bytes; OUTPUT is written on request; BYTES are the lengths of the results; with GUARD
 * 1 every array ends at a page that cannot be touched, with 0 it starts at one.
 * Then line by line:   clear -> cleared          fills the results with a pattern
 *                      call N W -> ok RC WALL CPU PREEMPTED
 *                                                W calls that are not timed, then N that are, or up to
 *                                                the first that fails; nanoseconds; how often the
 *                                                system took a processor from a thread
 *                      save -> saved DAMAGE      writes the results; bytes changed in front of them
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* In `call.c`, which is written for each kernel: this file is the same for all, and compiled once. */
extern const int rise_opt_outputs, rise_opt_inputs;
int rise_opt_call(void **out, const int64_t *sizes, void **in);

#define PATTERN 0xA5

static void *room(size_t bytes, int guard, size_t *front) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t whole = (bytes + page - 1) / page * page;
  /* One page in front, which may be written and is looked at; one behind, which may not. */
  char *p = mmap(NULL, whole + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || mprotect(p + page + whole, page, PROT_NONE) != 0) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(70);
  }
  char *start = guard ? p + page + (whole - bytes) : p + page;
  *front = (size_t)(start - p);
  memset(p, PATTERN, *front);
  return start;
}

/* Arguments are only read: a kernel that stores to one dies. */
static void seal(void *start, size_t bytes) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)start / page * page;
  if (bytes > 0 && mprotect((void *)from, (uintptr_t)start + bytes - from, PROT_READ) != 0) {
    fprintf(stderr, "no way to protect %zu bytes\n", bytes);
    exit(70);
  }
}

static int64_t now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static long preempted(void) {
  struct rusage used;
  return getrusage(RUSAGE_SELF, &used) == 0 ? used.ru_nivcsw : 0;
}

int main(int argc, char **argv) {
  const int outputs = rise_opt_outputs, inputs = rise_opt_inputs;
  if (argc < 4 + outputs) return 64;
  int guard = argv[3][0] == '1';
  int64_t sizes[64];
  for (int i = 4 + outputs; i < argc && i < 68 + outputs; i++) {
    sizes[i - 4 - outputs] = strtoll(argv[i], NULL, 10);
  }
  void *in[inputs + 1];
  size_t front[outputs], bytes[outputs];
  FILE *f = fopen(argv[1], "rb");
  if (!f) return 66;
  for (int i = 0; i < inputs; i++) {
    uint64_t length;
    if (fread(&length, 8, 1, f) != 1) return 66;
    in[i] = room(length, guard, front);
    if (fread(in[i], 1, length, f) != length) return 66;
    seal(in[i], length);
  }
  fclose(f);
  void *out[outputs];
  for (int i = 0; i < outputs; i++) {
    bytes[i] = strtoull(argv[4 + i], NULL, 10);
    out[i] = room(bytes[i], guard, &front[i]);
  }
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    if (strncmp(line, "clear", 5) == 0) {
      for (int i = 0; i < outputs; i++) memset(out[i], PATTERN, bytes[i]);
      printf("cleared\n");
    } else if (strncmp(line, "call ", 5) == 0) {
      char *rest;
      long n = strtol(line + 5, &rest, 10), warm = strtol(rest, NULL, 10);
      int rc = 0;
      for (long i = 0; i < warm && rc == 0; i++) rc = rise_opt_call(out, sizes, in);
      long before = preempted();
      int64_t wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
      for (long i = 0; i < n && rc == 0; i++) rc = rise_opt_call(out, sizes, in);
      cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
      wall = now(CLOCK_MONOTONIC) - wall;
      printf("ok %d %" PRId64 " %" PRId64 " %ld\n", rc, wall, cpu, preempted() - before);
    } else if (strncmp(line, "save", 4) == 0) {
      size_t damage = 0;
      FILE *g = fopen(argv[2], "wb");
      int written = g != NULL;
      for (int i = 0; i < outputs && written; i++) {
        const unsigned char *p = out[i];
        for (size_t j = 1; j <= front[i]; j++) damage += p[-(ptrdiff_t)j] != PATTERN;
        written = fwrite(p, 1, bytes[i], g) == bytes[i];
      }
      if (!written || fclose(g) != 0) {
        fprintf(stderr, "the result cannot be saved\n");
        return 74;
      }
      printf("saved %zu\n", damage);
    }
    fflush(stdout);
  }
  return 0;
}
