// A window with one line of text and an area to draw on. All calls are made on the main thread.
#ifndef HEART_WINDOW_H
#define HEART_WINDOW_H

#include <stdbool.h>

typedef struct HeartCanvas HeartCanvas;

/// Draws the whole area, whose size is in pixels; nothing is there before.
typedef void (*HeartDraw)(void *context, HeartCanvas *canvas, double width, double height);

/// Shows the window and returns when it is closed, or behind `heart_window_close`.
///
/// `ready` is called once, when the window is there. The result is the status of GTK.
int heart_window_run(const char *title, void *context, void (*ready)(void *context), HeartDraw draw);

/// Closes the window; without one it does nothing.
void heart_window_close(void);
void heart_window_set_title(const char *title);
void heart_window_set_text(const char *text);
/// Draws anew at the next frame.
void heart_window_redraw(void);
/// Writes what GTK renders of the window's content to a PNG; false without one.
bool heart_window_save(const char *path);

/// A straight line; the colour is 0xRRGGBB.
void heart_canvas_line(HeartCanvas *canvas, double x1, double y1, double x2, double y2, int colour);
/// A square of `size` pixels on a point.
void heart_canvas_dot(HeartCanvas *canvas, double x, double y, double size, int colour);
/// A text that ends at `x` or, with `is_centred`, has it in its middle; its middle is at `y`.
void heart_canvas_text(HeartCanvas *canvas, double x, double y, bool is_centred, const char *text);

#endif
