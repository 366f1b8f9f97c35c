#include "CBluejayEdit.h"

#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define HISTORY_SIZE 500

struct bluejay_editor {
    EditLine *line;
    History *history;
    char *file;
    char *prompt;
    bluejay_complete complete;
    void *context;
    struct termios settings;
};

static bluejay_editor *editor_of(EditLine *line) {
    void *editor = NULL;
    el_get(line, EL_CLIENTDATA, &editor);
    return editor;
}

static char *prompt_of(EditLine *line) { return editor_of(line)->prompt; }

static unsigned char complete(EditLine *line, int key) {
    (void)key;
    bluejay_editor *editor = editor_of(line);
    const LineInfo *info = el_line(line);
    char *text = strndup(info->buffer, (size_t)(info->cursor - info->buffer));
    if (!text) return CC_ERROR;
    char *inserted = NULL, *shown = NULL;
    editor->complete(editor->context, text, &inserted, &shown);
    free(text);
    unsigned char result = CC_ERROR;
    if (inserted && *inserted && el_insertstr(line, inserted) == 0) result = CC_REFRESH;
    if (shown && *shown) {
        printf("\n%s\n", shown);
        fflush(stdout);
        result = CC_REDISPLAY;
    }
    free(inserted);
    free(shown);
    return result;
}

bluejay_editor *bluejay_editor_new(const char *file, bluejay_complete callback, void *context) {
    bluejay_editor *editor = calloc(1, sizeof *editor);
    if (!editor) return NULL;
    // libedit decodes typed characters in the encoding of the locale.
    setlocale(LC_CTYPE, "");
    editor->complete = callback;
    editor->context = context;
    editor->file = strdup(file);
    editor->prompt = strdup("");
    editor->history = history_init();
    HistEvent event;
    if (!editor->file || !editor->prompt || !editor->history
        || tcgetattr(STDIN_FILENO, &editor->settings) != 0
        || !(editor->line = el_init("bluejay", stdin, stdout, stderr))) {
        bluejay_editor_free(editor);
        return NULL;
    }
    history(editor->history, &event, H_SETSIZE, HISTORY_SIZE);
    history(editor->history, &event, H_SETUNIQUE, 1);
    history(editor->history, &event, H_LOAD, file);
    el_set(editor->line, EL_CLIENTDATA, editor);
    el_set(editor->line, EL_PROMPT, prompt_of);
    el_set(editor->line, EL_EDITOR, "emacs");
    el_set(editor->line, EL_HIST, history, editor->history);
    el_set(editor->line, EL_ADDFN, "bluejay-complete", "Complete the word", complete);
    el_set(editor->line, EL_BIND, "^I", "bluejay-complete", NULL);
    el_set(editor->line, EL_BIND, "^R", "em-inc-search-prev", NULL);
    // Ctrl-C discards the line instead of ending the program.
    el_set(editor->line, EL_SETTY, "-d", "-isig", NULL);
    el_set(editor->line, EL_BIND, "^C", "ed-start-over", NULL);
    return editor;
}

char *bluejay_editor_read(bluejay_editor *editor, const char *prompt) {
    free(editor->prompt);
    editor->prompt = strdup(prompt);
    if (!editor->prompt) return NULL;
    int count = 0;
    el_resize(editor->line);
    const char *line = el_gets(editor->line, &count);
    if (!line || count <= 0) return NULL;
    size_t length = strcspn(line, "\r\n");
    char *copy = strndup(line, length);
    if (copy && *copy) {
        HistEvent event;
        history(editor->history, &event, H_ENTER, copy);
        history(editor->history, &event, H_SAVE, editor->file);
    }
    return copy;
}

void bluejay_editor_restore(bluejay_editor *editor) {
    tcsetattr(STDIN_FILENO, TCSADRAIN, &editor->settings);
}

void bluejay_editor_free(bluejay_editor *editor) {
    if (!editor) return;
    if (editor->line) el_end(editor->line);
    if (editor->history) history_end(editor->history);
    free(editor->file);
    free(editor->prompt);
    free(editor);
}
