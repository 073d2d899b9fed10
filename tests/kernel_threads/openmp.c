/* What gcc makes of the pragmas of a kernel, with threads that ThreadSanitizer sees.

   gcc's own library synchronises by means that the sanitizer does not know: it would report
   every fork and every join. Here a team is threads that are created and joined. Iterations
   are dealt out in turn without any synchronisation, so two of them are never ordered by
   accident: what races is found whatever the order was. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST = 64 };

struct member {
    int index, count;
    pthread_barrier_t *meet;
    void (*run)(void *);
    void *data;
    /* The loop that is shared at present. */
    long next, end, step;
};

static struct member alone = {.count = 1};
static _Thread_local struct member *self = &alone;

/* Asked for while no team is at work. */
static int wanted;

int omp_get_max_threads(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    int n = wanted ? wanted : text ? atoi(text) : 4;
    return n < 1 ? 1 : n > MOST ? MOST : n;
}

void omp_set_num_threads(int n) { wanted = n; }
int omp_get_thread_num(void) { return self->index; }
int omp_get_num_threads(void) { return self->count; }
int omp_in_parallel(void) { return self->count > 1; }

static void *member(void *of)
{
    self = of;
    self->run(self->data);
    self = &alone;
    return NULL;
}

static void team(void (*run)(void *), void *data, unsigned threads, const long *loop)
{
    struct member *outer = self, members[MOST];
    pthread_t started[MOST];
    pthread_barrier_t meet;
    /* A team within a team has one member. */
    int count = outer->count > 1 ? 1 : threads ? (int)threads : omp_get_max_threads();
    pthread_barrier_init(&meet, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        members[i] = (struct member){.index = i, .count = count, .meet = &meet, .run = run, .data = data};
        if (loop) {
            members[i].step = loop[2];
            members[i].next = loop[0] + i * loop[2];
            members[i].end = loop[1];
        }
        if (i > 0 && pthread_create(&started[i], NULL, member, &members[i])) abort();
    }
    self = &members[0];
    run(data);
    for (int i = 1; i < count; i++) pthread_join(started[i], NULL);
    self = outer;
    pthread_barrier_destroy(&meet);
}

void GOMP_parallel(void (*run)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    team(run, data, threads, NULL);
}

static bool next(long *from, long *to)
{
    bool some = self->step > 0 ? self->next < self->end : self->next > self->end;
    *from = self->next;
    *to = self->next + self->step;
    self->next += self->count * self->step;
    return some;
}

static bool start(long from, long end, long step, long *first, long *last)
{
    self->step = step;
    self->end = end;
    self->next = from + self->index * step;
    return next(first, last);
}

/* The names of all kinds of dynamic loops. */
#define LOOP(kind)                                                                                  \
    bool GOMP_loop_##kind##_start(long from, long end, long step, long chunk, long *first, long *last) \
    {                                                                                               \
        (void)chunk;                                                                                \
        return start(from, end, step, first, last);                                                 \
    }                                                                                               \
    bool GOMP_loop_##kind##_next(long *first, long *last) { return next(first, last); }             \
    void GOMP_parallel_loop_##kind(void (*run)(void *), void *data, unsigned threads, long from,    \
                                   long end, long step, long chunk, unsigned flags)                 \
    {                                                                                               \
        (void)chunk, (void)flags;                                                                   \
        long loop[3] = {from, end, step};                                                           \
        team(run, data, threads, loop);                                                             \
    }
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)

void GOMP_barrier(void)
{
    if (self->meet) pthread_barrier_wait(self->meet);
}
void GOMP_loop_end(void) { GOMP_barrier(); }
void GOMP_loop_end_nowait(void) {}
