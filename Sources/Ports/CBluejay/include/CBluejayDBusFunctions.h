#ifndef CBLUEJAY_DBUS_FUNCTIONS_H
#define CBLUEJAY_DBUS_FUNCTIONS_H

// The libdbus-1 functions that Swift uses. CBluejay.c includes this file after libdbus's own header: a
// declaration that differs does not compile.

// Connections.
typedef void (*DBusFreeFunction)(void *memory);
typedef dbus_bool_t (*DBusAddWatchFunction)(DBusWatch *watch, void *data);
typedef void (*DBusWatchToggledFunction)(DBusWatch *watch, void *data);
typedef void (*DBusRemoveWatchFunction)(DBusWatch *watch, void *data);
typedef dbus_bool_t (*DBusAddTimeoutFunction)(DBusTimeout *timeout, void *data);
typedef void (*DBusTimeoutToggledFunction)(DBusTimeout *timeout, void *data);
typedef void (*DBusRemoveTimeoutFunction)(DBusTimeout *timeout, void *data);
typedef void (*DBusDispatchStatusFunction)(
    DBusConnection *connection, DBusDispatchStatus new_status, void *data);
typedef DBusHandlerResult (*DBusHandleMessageFunction)(
    DBusConnection *connection, DBusMessage *message, void *user_data);

DBusConnection *dbus_connection_open_private(const char *address, DBusError *error);
DBusConnection *dbus_connection_ref(DBusConnection *connection);
void dbus_connection_unref(DBusConnection *connection);
void dbus_connection_close(DBusConnection *connection);
void dbus_connection_flush(DBusConnection *connection);
dbus_bool_t dbus_connection_read_write(DBusConnection *connection, int timeout_milliseconds);
DBusMessage *dbus_connection_pop_message(DBusConnection *connection);
DBusDispatchStatus dbus_connection_get_dispatch_status(DBusConnection *connection);
DBusDispatchStatus dbus_connection_dispatch(DBusConnection *connection);
dbus_bool_t dbus_connection_has_messages_to_send(DBusConnection *connection);
dbus_bool_t dbus_connection_send(
    DBusConnection *connection, DBusMessage *message, dbus_uint32_t *client_serial);
dbus_bool_t dbus_connection_get_unix_fd(DBusConnection *connection, int *fd);
long dbus_connection_get_outgoing_size(DBusConnection *connection);
void dbus_connection_set_exit_on_disconnect(
    DBusConnection *connection, dbus_bool_t exit_on_disconnect);
void dbus_connection_set_route_peer_messages(DBusConnection *connection, dbus_bool_t value);
dbus_bool_t dbus_connection_add_filter(
    DBusConnection *connection,
    DBusHandleMessageFunction function,
    void *user_data,
    DBusFreeFunction free_data_function);
void dbus_connection_remove_filter(
    DBusConnection *connection, DBusHandleMessageFunction function, void *user_data);
dbus_bool_t dbus_connection_set_watch_functions(
    DBusConnection *connection,
    DBusAddWatchFunction add_function,
    DBusRemoveWatchFunction remove_function,
    DBusWatchToggledFunction toggled_function,
    void *data,
    DBusFreeFunction free_data_function);
void dbus_connection_set_dispatch_status_function(
    DBusConnection *connection,
    DBusDispatchStatusFunction function,
    void *data,
    DBusFreeFunction free_data_function);
dbus_bool_t dbus_connection_set_timeout_functions(
    DBusConnection *connection,
    DBusAddTimeoutFunction add_function,
    DBusRemoveTimeoutFunction remove_function,
    DBusTimeoutToggledFunction toggled_function,
    void *data,
    DBusFreeFunction free_data_function);
dbus_bool_t dbus_bus_set_unique_name(DBusConnection *connection, const char *unique_name);

int dbus_watch_get_unix_fd(DBusWatch *watch);
unsigned int dbus_watch_get_flags(DBusWatch *watch);
dbus_bool_t dbus_watch_handle(DBusWatch *watch, unsigned int flags);
dbus_bool_t dbus_watch_get_enabled(DBusWatch *watch);
int dbus_timeout_get_interval(DBusTimeout *timeout);
dbus_bool_t dbus_timeout_handle(DBusTimeout *timeout);
dbus_bool_t dbus_timeout_get_enabled(DBusTimeout *timeout);

// Messages.
DBusMessage *dbus_message_new(int message_type);
DBusMessage *dbus_message_new_method_call(
    const char *bus_name, const char *path, const char *iface, const char *method);
DBusMessage *dbus_message_new_method_return(DBusMessage *method_call);
DBusMessage *dbus_message_new_signal(const char *path, const char *iface, const char *name);
DBusMessage *dbus_message_new_error(
    DBusMessage *reply_to, const char *error_name, const char *error_message);
DBusMessage *dbus_message_copy(const DBusMessage *message);
dbus_bool_t dbus_message_marshal(DBusMessage *message, char **marshalled_data, int *length);
DBusMessage *dbus_message_ref(DBusMessage *message);
void dbus_message_unref(DBusMessage *message);
int dbus_message_get_type(DBusMessage *message);
const char *dbus_message_get_path(DBusMessage *message);
const char *dbus_message_get_interface(DBusMessage *message);
const char *dbus_message_get_member(DBusMessage *message);
const char *dbus_message_get_error_name(DBusMessage *message);
const char *dbus_message_get_destination(DBusMessage *message);
const char *dbus_message_get_sender(DBusMessage *message);
const char *dbus_message_get_signature(DBusMessage *message);
dbus_uint32_t dbus_message_get_serial(DBusMessage *message);
dbus_uint32_t dbus_message_get_reply_serial(DBusMessage *message);
dbus_bool_t dbus_message_get_no_reply(DBusMessage *message);
dbus_bool_t dbus_message_has_path(DBusMessage *message, const char *object_path);
dbus_bool_t dbus_message_has_interface(DBusMessage *message, const char *iface);
dbus_bool_t dbus_message_has_member(DBusMessage *message, const char *member);
dbus_bool_t dbus_message_has_sender(DBusMessage *message, const char *unique_bus_name);
dbus_bool_t dbus_message_set_path(DBusMessage *message, const char *object_path);
dbus_bool_t dbus_message_set_interface(DBusMessage *message, const char *iface);
dbus_bool_t dbus_message_set_member(DBusMessage *message, const char *member);
dbus_bool_t dbus_message_set_destination(DBusMessage *message, const char *destination);
dbus_bool_t dbus_message_set_reply_serial(DBusMessage *message, dbus_uint32_t reply_serial);
void dbus_message_set_serial(DBusMessage *message, dbus_uint32_t serial);
void dbus_message_set_no_reply(DBusMessage *message, dbus_bool_t no_reply);

dbus_bool_t dbus_message_iter_init(DBusMessage *message, DBusMessageIter *iter);
dbus_bool_t dbus_message_iter_has_next(DBusMessageIter *iter);
dbus_bool_t dbus_message_iter_next(DBusMessageIter *iter);
char *dbus_message_iter_get_signature(DBusMessageIter *iter);
int dbus_message_iter_get_arg_type(DBusMessageIter *iter);
int dbus_message_iter_get_element_type(DBusMessageIter *iter);
int dbus_message_iter_get_element_count(DBusMessageIter *iter);
void dbus_message_iter_recurse(DBusMessageIter *iter, DBusMessageIter *sub);
void dbus_message_iter_get_basic(DBusMessageIter *iter, void *value);
void dbus_message_iter_get_fixed_array(DBusMessageIter *iter, void *value, int *n_elements);
void dbus_message_iter_init_append(DBusMessage *message, DBusMessageIter *iter);
dbus_bool_t dbus_message_iter_append_basic(DBusMessageIter *iter, int type, const void *value);
dbus_bool_t dbus_message_iter_append_fixed_array(
    DBusMessageIter *iter, int element_type, const void *value, int n_elements);
dbus_bool_t dbus_message_iter_open_container(
    DBusMessageIter *iter, int type, const char *contained_signature, DBusMessageIter *sub);
dbus_bool_t dbus_message_iter_close_container(DBusMessageIter *iter, DBusMessageIter *sub);
void dbus_message_iter_abandon_container(DBusMessageIter *iter, DBusMessageIter *sub);

// Errors, names and memory.
void dbus_error_init(DBusError *error);
void dbus_error_free(DBusError *error);
dbus_bool_t dbus_error_is_set(const DBusError *error);
dbus_bool_t dbus_validate_path(const char *path, DBusError *error);
dbus_bool_t dbus_validate_interface(const char *name, DBusError *error);
dbus_bool_t dbus_validate_member(const char *name, DBusError *error);
dbus_bool_t dbus_validate_error_name(const char *name, DBusError *error);
dbus_bool_t dbus_validate_bus_name(const char *name, DBusError *error);
dbus_bool_t dbus_signature_validate(const char *signature, DBusError *error);
dbus_bool_t dbus_signature_validate_single(const char *signature, DBusError *error);
char *dbus_try_get_local_machine_id(DBusError *error);
void dbus_free(void *memory);

#endif
