/* SPDX-License-Identifier: GPL-3.0-or-later */
/* help - the text of 'help rbstats', in the form that crash's cmd_usage() (help.c) expects. */
#ifndef RBS_EXTENSION_HELP_H
#define RBS_EXTENSION_HELP_H

extern char *rbs_help_rbstats[];

#endif
