// The memory of a PDFium instance, with a thread that ends calls which do not end. See memory.go.
#ifndef AIRQA_PDF_GUARD_H
#define AIRQA_PDF_GUARD_H

#include <pthread.h>
#include <stdint.h>

typedef struct guard {
	unsigned char *space; // reserved; the first size bytes are PDFium's
	int64_t reserved;
	int64_t size;    // atomic: grows while PDFium runs
	int32_t spoiled; // atomic: nothing in space makes sense any more

	pthread_t thread;
	pthread_mutex_t lock; // of what follows
	pthread_cond_t wake;
	int64_t deadline; // of the call under way, in ns of the steady clock; 0 without one
	int64_t waits;    // until when the thread waits; forever without a call
	int quit;
} guard;

// guard_new reserves zeroed address space, filled with memory where it is touched, and starts the thread. NULL when the system
// has none.
guard *guard_new(int64_t size);
// guard_arm announces a call that may take ns.
void guard_arm(guard *g, int64_t ns);
// guard_disarm says that the call is over. Nothing is overwritten afterwards.
void guard_disarm(guard *g);
// guard_expire ends the call under way, if there is one.
void guard_expire(guard *g);
// guard_free ends the thread and gives the space back.
void guard_free(guard *g);

#endif
