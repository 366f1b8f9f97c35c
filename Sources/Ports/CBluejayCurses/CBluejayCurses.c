#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1

#include "CBluejayCurses.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

// The time in milliseconds in which the rest of the sequence of a key must arrive.
#define ESCAPE_DELAY 100

static SCREEN *screen;
static bool is_colored;

bool bluejay_screen_is_possible(void) {
    int result = 0;
    if (setupterm(NULL, STDOUT_FILENO, &result) != OK) return false;
    bool is_possible = cursor_address && clear_screen;
    del_curterm(cur_term);
    return is_possible;
}

// Keys that a program can handle arrive as keys, except for Ctrl-C and Ctrl-\, which stay signals.
static void set_keys(void) {
    struct termios settings;
    if (tcgetattr(STDIN_FILENO, &settings) != 0) return;
    settings.c_cc[VSUSP] = _POSIX_VDISABLE;
    settings.c_cc[VLNEXT] = _POSIX_VDISABLE;
    settings.c_iflag &= ~(tcflag_t)IXON;
    tcsetattr(STDIN_FILENO, TCSANOW, &settings);
    def_prog_mode();
}

bool bluejay_screen_open(bool has_color) {
    static bool is_registered;
    if (screen) return false;
    setlocale(LC_CTYPE, "");
    // Without this, ncurses would handle the signals on any thread.
    void (*stop)(int) = signal(SIGTSTP, SIG_IGN);
    void (*change)(int) = signal(SIGWINCH, SIG_IGN);
    screen = newterm(NULL, stdout, stdin);
    signal(SIGTSTP, stop);
    signal(SIGWINCH, change);
    if (!screen) return false;
    if (!is_registered) atexit(bluejay_screen_close);
    is_registered = true;
    set_escdelay(ESCAPE_DELAY);
    cbreak();
    noecho();
    nonl();
    set_keys();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    scrollok(stdscr, FALSE);
    is_colored = has_color && has_colors() && start_color() == OK && use_default_colors() == OK;
    if (is_colored) {
        init_pair(1, COLOR_RED, -1);
        init_pair(2, COLOR_GREEN, -1);
        init_pair(3, COLOR_YELLOW, -1);
    }
    return true;
}

bool bluejay_screen_is_unicode(void) { return strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }

void bluejay_screen_resize(int width, int height) {
    if (screen && is_term_resized(height, width)) resizeterm(height, width);
}

bool bluejay_screen_is_ready(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) > 0 && output.revents & POLLOUT;
}

void bluejay_screen_clear(void) {
    if (screen) erase();
}

static attr_t attributes(int style) {
    attr_t result = A_NORMAL;
    if (style & BLUEJAY_BOLD) result |= A_BOLD;
    if (style & BLUEJAY_DIM) result |= A_DIM;
    if (style & BLUEJAY_REVERSED) result |= A_REVERSE;
    if (!is_colored) return result;
    if (style & BLUEJAY_RED) return result | COLOR_PAIR(1);
    if (style & BLUEJAY_GREEN) return result | COLOR_PAIR(2);
    if (style & BLUEJAY_YELLOW) return result | COLOR_PAIR(3);
    return result;
}

void bluejay_screen_put(int row, const char *text, int style) {
    if (!screen) return;
    attrset(attributes(style));
    mvaddstr(row, 0, text);
    attrset(A_NORMAL);
}

void bluejay_screen_show(int row, int column) {
    if (!screen) return;
    curs_set(row >= 0);
    if (row >= 0) move(row, column);
    refresh();
}

void bluejay_screen_repaint(void) {
    if (screen) clearok(curscr, TRUE);
}

static bool has_ended(void) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&input, 1, 0) <= 0) return false;
    if (input.revents & (POLLHUP | POLLERR | POLLNVAL)) return true;
    int count = 0;
    return input.revents & POLLIN && ioctl(STDIN_FILENO, FIONREAD, &count) == 0 && count == 0;
}

static int special_key(wint_t key) {
    switch (key) {
    case KEY_UP: return BLUEJAY_KEY_UP;
    case KEY_DOWN: return BLUEJAY_KEY_DOWN;
    case KEY_PPAGE: return BLUEJAY_KEY_PAGE_UP;
    case KEY_NPAGE: return BLUEJAY_KEY_PAGE_DOWN;
    case KEY_HOME: return BLUEJAY_KEY_HOME;
    case KEY_END: return BLUEJAY_KEY_LAST;
    case KEY_ENTER: return BLUEJAY_KEY_ENTER;
    case KEY_BACKSPACE: return BLUEJAY_KEY_BACKSPACE;
    default: return BLUEJAY_KEY_OTHER;
    }
}

int bluejay_screen_key(uint32_t *scalar) {
    if (!screen) return BLUEJAY_KEY_END;
    wint_t key = 0;
    switch (wget_wch(stdscr, &key)) {
    case OK:
        if (key == '\r' || key == '\n') return BLUEJAY_KEY_ENTER;
        if (key == 0x7F || key == 0x08) return BLUEJAY_KEY_BACKSPACE;
        *scalar = (uint32_t)key;
        return BLUEJAY_KEY_CHARACTER;
    case KEY_CODE_YES: return special_key(key);
    default: return has_ended() ? BLUEJAY_KEY_END : BLUEJAY_KEY_ABSENT;
    }
}

void bluejay_screen_suspend(void) {
    if (!screen) return;
    void (*stop)(int) = signal(SIGTSTP, SIG_IGN);
    if (stop == SIG_IGN) return;
    endwin();
    // The other processes of the job stop first, because this thread then stops immediately.
    kill(0, SIGTSTP);
    signal(SIGTSTP, SIG_DFL);
    sigset_t signals, blocked;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &signals, &blocked);
    raise(SIGTSTP);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    signal(SIGTSTP, stop);
    bluejay_screen_repaint();
    refresh();
}

void bluejay_screen_close(void) {
    if (!screen) return;
    SCREEN *closed = screen;
    screen = NULL;
    endwin();
    delscreen(closed);
}
