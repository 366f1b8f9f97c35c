// Lines typed at a terminal, edited with libedit. A shim, because Swift imports no functions with a variable
// number of arguments.
#ifndef CBLUEJAY_EDIT_H
#define CBLUEJAY_EDIT_H

typedef struct bluejay_editor bluejay_editor;

// Completes the text before the cursor. Both results are allocated with malloc: the text to insert, or NULL,
// and lines to show above the prompt, or NULL.
typedef void (*bluejay_complete)(void *context, const char *text, char **inserted, char **shown);

// Returns NULL if the terminal cannot be used. The history is read from the file and written to it.
bluejay_editor *bluejay_editor_new(const char *history, bluejay_complete complete, void *context);
// Waits for a line, and returns it without its line break, allocated with malloc; NULL is the end of the input.
char *bluejay_editor_read(bluejay_editor *editor, const char *prompt);
// Gives the terminal the settings that it had before; any thread may call it.
void bluejay_editor_restore(bluejay_editor *editor);
void bluejay_editor_free(bluejay_editor *editor);

#endif
