/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_style - the page's style sheet: dark and light by the reader's setting, plain in print. */
#ifndef RBS_RENDER_HTML_STYLE_H
#define RBS_RENDER_HTML_STYLE_H

extern const char rbs_html_style[];

#endif
