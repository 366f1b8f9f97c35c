#include "heart_window.h"

#include <gtk/gtk.h>

static GtkApplication *application;
static GtkWidget *window, *content, *label, *area;
static void *user;
static void (*user_ready)(void *);
static HeartDraw user_draw;

static void draw(GtkDrawingArea *unused, cairo_t *cairo, int width, int height, gpointer data) {
    (void)unused, (void)data;
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    user_draw(user, (HeartCanvas *)cairo, width, height);
}

static void destroyed(GtkWidget *unused, gpointer data) {
    (void)unused, (void)data;
    window = content = label = area = NULL;
}

static void activate(GApplication *unused, gpointer title) {
    (void)unused;
    // A second start of the program calls this function again.
    if (window) return gtk_window_present(GTK_WINDOW(window));
    window = gtk_application_window_new(application);
    gtk_window_set_title(GTK_WINDOW(window), title);
    gtk_window_set_default_size(GTK_WINDOW(window), 640, 400);
    content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    label = gtk_label_new("");
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    area = gtk_drawing_area_new();
    gtk_widget_set_vexpand(area, TRUE);
    gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(area), draw, NULL, NULL);
    gtk_box_append(GTK_BOX(content), label);
    gtk_box_append(GTK_BOX(content), area);
    gtk_window_set_child(GTK_WINDOW(window), content);
    g_signal_connect(window, "destroy", G_CALLBACK(destroyed), NULL);
    gtk_window_present(GTK_WINDOW(window));
    user_ready(user);
}

int heart_window_run(const char *title, void *context, void (*ready)(void *), HeartDraw drawing) {
    user = context;
    user_ready = ready;
    user_draw = drawing;
    application = gtk_application_new("org.bluejay.HeartWindow", G_APPLICATION_NON_UNIQUE);
    g_signal_connect(application, "activate", G_CALLBACK(activate), (gpointer)title);
    int status = g_application_run(G_APPLICATION(application), 0, NULL);
    g_clear_object(&application);
    return status;
}

void heart_window_close(void) {
    if (window) gtk_window_destroy(GTK_WINDOW(window));
}

void heart_window_set_title(const char *title) {
    if (window) gtk_window_set_title(GTK_WINDOW(window), title);
}

void heart_window_set_text(const char *text) {
    if (label) gtk_label_set_text(GTK_LABEL(label), text);
}

void heart_window_redraw(void) {
    if (area) gtk_widget_queue_draw(area);
}

bool heart_window_save(const char *path) {
    if (!content) return false;
    // After a change of the text, the content has no allocation until the next frame, and no picture.
    gtk_widget_measure(content, GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
    gtk_widget_allocate(content, gtk_widget_get_width(content), gtk_widget_get_height(content), -1, NULL);
    GtkSnapshot *snapshot = gtk_snapshot_new();
    // `gtk_widget_paintable_new` would be empty while a frame is due.
    gtk_widget_snapshot_child(window, content, snapshot);
    GskRenderNode *node = gtk_snapshot_free_to_node(snapshot);
    if (!node) return false;
    GskRenderer *renderer = gtk_native_get_renderer(gtk_widget_get_native(content));
    GdkTexture *texture = gsk_renderer_render_texture(renderer, node, NULL);
    gsk_render_node_unref(node);
    gboolean is_saved = gdk_texture_save_to_png(texture, path);
    g_object_unref(texture);
    return is_saved;
}

static void set_colour(cairo_t *cairo, int colour) {
    cairo_set_source_rgb(cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                         (colour & 255) / 255.0);
}

void heart_canvas_line(HeartCanvas *canvas, double x1, double y1, double x2, double y2, int colour) {
    cairo_t *cairo = (cairo_t *)canvas;
    set_colour(cairo, colour);
    cairo_set_line_width(cairo, 1);
    cairo_move_to(cairo, x1, y1);
    cairo_line_to(cairo, x2, y2);
    cairo_stroke(cairo);
}

void heart_canvas_dot(HeartCanvas *canvas, double x, double y, double size, int colour) {
    cairo_t *cairo = (cairo_t *)canvas;
    set_colour(cairo, colour);
    cairo_rectangle(cairo, x - size / 2, y - size / 2, size, size);
    cairo_fill(cairo);
}

void heart_canvas_text(HeartCanvas *canvas, double x, double y, bool is_centred, const char *text) {
    cairo_t *cairo = (cairo_t *)canvas;
    cairo_text_extents_t extents;
    cairo_set_source_rgb(cairo, 0.2, 0.2, 0.2);
    cairo_set_font_size(cairo, 11);
    cairo_text_extents(cairo, text, &extents);
    cairo_move_to(cairo, is_centred ? x - extents.width / 2 : x - extents.width,
                  y + extents.height / 2);
    cairo_show_text(cairo, text);
}
