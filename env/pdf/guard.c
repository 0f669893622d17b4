#include "guard.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _WIN32
static void *reserve(int64_t size) { return calloc(1, size); }
static void unreserve(void *space, int64_t size) { (void)size; free(space); }
static void block_signals(void) {}
#else
#include <sys/mman.h>
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif
static void *reserve(int64_t size) {
	void *space = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
	return space == MAP_FAILED ? NULL : space;
}
static void unreserve(void *space, int64_t size) { munmap(space, size); }
// Signals are for Go's threads.
static void block_signals(void) {
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
}
#endif

static const int64_t second = 1000000000, forever = INT64_MAX;

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * second + t.tv_nsec;
}

// doze waits until the steady clock shows the time or somebody calls.
static void doze(guard *g, int64_t until) {
#ifdef __APPLE__
	int64_t left = until - now();
	if (left <= 0) return;
	struct timespec t = {left / second, left % second};
	pthread_cond_timedwait_relative_np(&g->wake, &g->lock, &t);
#else
	struct timespec t = {until / second, until % second};
	pthread_cond_timedwait(&g->wake, &g->lock, &t);
#endif
}

// spoil overwrites everything while the call lasts, with ones and zeros by turns: pointers that lead nowhere, ends of lists.
static void spoil(guard *g) {
	const int64_t pause = 5000000;
	int byte = 0xFF;
	while (g->deadline && !g->quit) {
		__atomic_store_n(&g->spoiled, 1, __ATOMIC_SEQ_CST);
		memset(g->space, byte, __atomic_load_n(&g->size, __ATOMIC_SEQ_CST));
		byte ^= 0xFF;
		doze(g, now() + pause);
	}
}

static void *stand(void *arg) {
	guard *g = arg;
	block_signals();
	pthread_mutex_lock(&g->lock);
	while (!g->quit) {
		if (!g->deadline) {
			g->waits = forever;
			pthread_cond_wait(&g->wake, &g->lock);
		} else if (now() < g->deadline) {
			g->waits = g->deadline;
			doze(g, g->waits);
		} else {
			spoil(g);
		}
	}
	pthread_mutex_unlock(&g->lock);
	return NULL;
}

static void init_wake(guard *g) {
#ifdef __APPLE__
	pthread_cond_init(&g->wake, NULL);
#else
	pthread_condattr_t steady;
	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(&g->wake, &steady);
	pthread_condattr_destroy(&steady);
#endif
}

guard *guard_new(int64_t size) {
	guard *g = calloc(1, sizeof *g);
	if (!g) return NULL;
	g->reserved = size;
	g->space = reserve(size);
	pthread_mutex_init(&g->lock, NULL);
	init_wake(g);
	if (g->space && !pthread_create(&g->thread, NULL, stand, g)) return g;
	if (g->space) unreserve(g->space, size);
	pthread_cond_destroy(&g->wake);
	pthread_mutex_destroy(&g->lock);
	free(g);
	return NULL;
}

// guard_arm wakes the thread only if it would wait for longer, which saves a switch of threads in most calls.
void guard_arm(guard *g, int64_t ns) {
	pthread_mutex_lock(&g->lock);
	g->deadline = now() + ns;
	if (g->deadline < g->waits) pthread_cond_signal(&g->wake);
	pthread_mutex_unlock(&g->lock);
}

void guard_disarm(guard *g) {
	pthread_mutex_lock(&g->lock);
	g->deadline = 0;
	pthread_mutex_unlock(&g->lock);
}

void guard_expire(guard *g) {
	pthread_mutex_lock(&g->lock);
	if (g->deadline) g->deadline = 1;
	pthread_cond_signal(&g->wake);
	pthread_mutex_unlock(&g->lock);
}

void guard_free(guard *g) {
	pthread_mutex_lock(&g->lock);
	g->quit = 1;
	pthread_cond_signal(&g->wake);
	pthread_mutex_unlock(&g->lock);
	pthread_join(g->thread, NULL);
	unreserve(g->space, g->reserved);
	pthread_cond_destroy(&g->wake);
	pthread_mutex_destroy(&g->lock);
	free(g);
}
