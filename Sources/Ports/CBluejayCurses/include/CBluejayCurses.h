// The screen of a terminal, drawn with ncurses. A shim, because Swift imports neither the macros of ncurses nor
// its functions with a variable number of arguments. There is one screen; its callers take turns.
#ifndef CBLUEJAY_CURSES_H
#define CBLUEJAY_CURSES_H

#include <stdbool.h>
#include <stdint.h>

// The styles of a text, as bits.
enum {
    BLUEJAY_BOLD = 1,
    BLUEJAY_DIM = 2,
    BLUEJAY_REVERSED = 4,
    BLUEJAY_RED = 8,
    BLUEJAY_GREEN = 16,
    BLUEJAY_YELLOW = 32,
};

enum {
    // No key is available.
    BLUEJAY_KEY_ABSENT,
    // The terminal is gone.
    BLUEJAY_KEY_END,
    BLUEJAY_KEY_CHARACTER,
    BLUEJAY_KEY_UP,
    BLUEJAY_KEY_DOWN,
    BLUEJAY_KEY_PAGE_UP,
    BLUEJAY_KEY_PAGE_DOWN,
    BLUEJAY_KEY_HOME,
    BLUEJAY_KEY_LAST,
    BLUEJAY_KEY_ENTER,
    BLUEJAY_KEY_BACKSPACE,
    BLUEJAY_KEY_OTHER,
};

// Whether the database of terminals describes the terminal of TERM well enough for a screen.
bool bluejay_screen_is_possible(void);
// Opens the screen; the program restores the terminal when it exits. Returns false if that is impossible.
bool bluejay_screen_open(bool has_color);
// Whether the locale of the terminal is UTF-8.
bool bluejay_screen_is_unicode(void);
void bluejay_screen_resize(int width, int height);
// Whether the terminal accepts output, so that drawing does not wait.
bool bluejay_screen_is_ready(void);
// Clears the picture that the next call of bluejay_screen_show() shows.
void bluejay_screen_clear(void);
void bluejay_screen_put(int row, const char *text, int style);
// Shows the picture, with the cursor at a position; a negative row hides the cursor.
void bluejay_screen_show(int row, int column);
// Sends the whole picture again.
void bluejay_screen_repaint(void);
// Returns the next key without waiting, and the scalar of a character.
int bluejay_screen_key(uint32_t *scalar);
// Restores the terminal, stops the processes of this job, and opens the screen again when the job continues.
void bluejay_screen_suspend(void);
void bluejay_screen_close(void);

#endif
