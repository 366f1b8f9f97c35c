// A window with one line of text and an area to draw on. All calls are made on the main thread.
#ifndef HEART_WINDOW_H
#define HEART_WINDOW_H

#include <stdbool.h>

typedef struct HeartCanvas HeartCanvas;

/// Draws the whole area, which is empty before; its size is in pixels.
typedef void (*HeartDraw)(void *context, HeartCanvas *canvas, double width, double height);

/// Shows the window; returns when it is closed, or after `heart_window_close`.
///
/// `ready` is called once, when the window exists. The result is the status of GTK.
int heart_window_run(const char *title, void *context, void (*ready)(void *context), HeartDraw draw);

/// Closes the window, if it is open.
void heart_window_close(void);
void heart_window_set_title(const char *title);
void heart_window_set_text(const char *text);
/// Requests a redraw at the next frame.
void heart_window_redraw(void);
/// Writes the rendered content of the window to a PNG; returns false without a window.
bool heart_window_save(const char *path);

/// Draws a straight line; the colour is 0xRRGGBB.
void heart_canvas_line(HeartCanvas *canvas, double x1, double y1, double x2, double y2, int colour);
/// Draws a square of `size` pixels, centred on a point.
void heart_canvas_dot(HeartCanvas *canvas, double x, double y, double size, int colour);
/// Draws a text that ends at `x`, or with `is_centred` is centred there; its vertical centre is at `y`.
void heart_canvas_text(HeartCanvas *canvas, double x, double y, bool is_centred, const char *text);

#endif
