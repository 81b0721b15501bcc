/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/debuginfod.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Declarations of elfutils/debuginfod.h (0.178 and later), which need not be installed. */
struct debuginfod_client;
typedef int (*progress_fn)(struct debuginfod_client *client, long done, long all);

struct library {
	void *handle;
	struct debuginfod_client *(*begin)(void);
	int (*find)(struct debuginfod_client *client, const unsigned char *id, int id_size,
		    char **path);
	void (*set_progress)(struct debuginfod_client *client, progress_fn progress);
	void (*set_user_data)(struct debuginfod_client *client, void *data);
	void *(*get_user_data)(struct debuginfod_client *client);
	void (*end)(struct debuginfod_client *client);
};

bool rbs_debuginfod_wanted(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

/* ISO C knows no way from dlsym()'s object pointer to a function. */
static bool get_function(void *handle, const char *name, void *function)
{
	void *symbol = dlsym(handle, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol;
}

static bool library_init(struct library *library)
{
	memset(library, 0, sizeof(*library));
	/* It brings curl and its TLS library, which do not take it well to be unloaded. */
	library->handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library->handle)
		return false;
	if (get_function(library->handle, "debuginfod_begin", &library->begin) &&
	    get_function(library->handle, "debuginfod_find_debuginfo", &library->find) &&
	    get_function(library->handle, "debuginfod_set_progressfn", &library->set_progress) &&
	    get_function(library->handle, "debuginfod_set_user_data", &library->set_user_data) &&
	    get_function(library->handle, "debuginfod_get_user_data", &library->get_user_data) &&
	    get_function(library->handle, "debuginfod_end", &library->end))
		return true;
	dlclose(library->handle);
	return false;
}

/* What the progress function needs; libdebuginfod calls it a few times a second. */
struct watch {
	struct rbs_target *target;
	bool interrupted;
};

static int watch_progress(struct debuginfod_client *client, long done, long all)
{
	struct library library;
	struct watch *watch;

	(void)done;
	(void)all;
	/* The library is loaded already; this gets at its function without a global variable. */
	if (!library_init(&library))
		return 0;
	watch = library.get_user_data(client);
	watch->interrupted = rbs_target_interrupted(watch->target);
	dlclose(library.handle);
	return watch->interrupted; /* not 0: stop */
}

static enum rbs_code fetch(const struct library *library, const struct rbs_build_id *id,
			   struct watch *watch, char *path, size_t size, struct rbs_error *err)
{
	struct debuginfod_client *session = library->begin();
	char *found = NULL;
	int fd;

	if (!session)
		return rbs_error_set(err, RBS_IO, "debuginfod: the client cannot start");
	if (watch->target) {
		library->set_user_data(session, watch);
		library->set_progress(session, watch_progress);
	}
	fd = library->find(session, id->bytes, id->size, &found);
	library->end(session);
	if (watch->interrupted) {
		free(found);
		return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
	}
	if (fd < 0)
		return rbs_error_set(err, RBS_NO_TYPES, "debuginfod: %s", strerror(-fd));
	close(fd);
	snprintf(path, size, "%s", found ? found : "");
	free(found);
	if (!*path)
		return rbs_error_set(err, RBS_IO, "debuginfod: no path of the downloaded file");
	return RBS_OK;
}

enum rbs_code rbs_debuginfod_fetch(const struct rbs_build_id *id, struct rbs_target *target,
				   char *path, size_t size, struct rbs_error *err)
{
	struct watch watch = {.target = target};
	struct library library;
	enum rbs_code code;

	if (!library_init(&library))
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "debuginfod: libdebuginfod.so.1 is not installed");
	code = fetch(&library, id, &watch, path, size, err);
	dlclose(library.handle);
	return code;
}
