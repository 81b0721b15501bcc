/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_sample - structures that the DWARF tests compile, and whose layout they take from the
 * compiler that builds the tests. Free-standing: it is compiled for other machines, too.
 */
#ifndef DWARF_SAMPLE_H
#define DWARF_SAMPLE_H

enum sample_color { SAMPLE_RED, SAMPLE_GREEN = 200, SAMPLE_BLUE = 70000 };
enum sample_signed { SAMPLE_LESS = -5, SAMPLE_MORE = 5 };

typedef struct {
	long counter;
} sample_atomic_t;

typedef union {
	sample_atomic_t a;
	long v;
} sample_wrapped_t;

struct sample_inner {
	short x;
	const long y[3];
};

typedef volatile struct sample_inner sample_inner_t;

struct sample {
	char first;
	int second;
	sample_inner_t inner;
	union {
		int as_int;
		struct {
			char *text;
			unsigned long length;
		};
	};
	unsigned int a : 3, b : 13;
	unsigned int c : 16;
	int d : 5;
	long long wide : 40;
	_Bool yes : 1;
	void *pointer;
	void (*function)(void);
	enum sample_color color;
	enum sample_signed order;
	sample_wrapped_t counter;
	unsigned long grid[4][5];
	double real;
	_Bool flag;
	struct sample *next;
	unsigned char flexible[];
};

struct __attribute__((packed)) sample_packed {
	char before;
	unsigned long odd;
	unsigned int across : 31;
	unsigned int rest : 2;
};

#endif
