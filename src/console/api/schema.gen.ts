// Written by `npm run types` from the document with SHA-256 a814a1286f6f6441b4b2b0fdb426c3b231820c444de6960195d72d3ef86fce24; nobody edits it by hand.
export interface paths {
    "/api/postgres_databases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All databases, with the state of their capture
         * @description Scope: `read`. From psql: `millrace.database_status`.
         */
        get: operations["get_api_postgres_databases"];
        put?: never;
        /**
         * Creates a database, if Test Connection succeeds
         * @description Scope: `admin`.
         */
        post: operations["post_api_postgres_databases"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One database, by its name or id
         * @description Scope: `read`. From psql: `millrace.database_status`.
         */
        get: operations["get_api_postgres_databases_database"];
        /**
         * Changes a database: the given keys replace the stored ones, null restores the default
         * @description Scope: `admin`.
         */
        put: operations["put_api_postgres_databases_database"];
        post?: never;
        /**
         * Deletes a database that no sink uses, with the slot and the publication that Millrace made in it
         * @description Scope: `admin`.
         */
        delete: operations["delete_api_postgres_databases_database"];
        options?: never;
        head?: never;
        /**
         * Changes a database: the given keys replace the stored ones, null restores the default
         * @description Scope: `admin`.
         */
        patch: operations["patch_api_postgres_databases_database"];
        trace?: never;
    };
    "/api/postgres_databases/{database}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was captured from a database, how far capture is behind, and how much WAL is kept, by minute or hour
         * @description Scope: `read`.
         */
        get: operations["get_api_postgres_databases_database_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/slots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The current replication slots of a source, and what makes its server keep WAL
         * @description Scope: `read`.
         */
        get: operations["get_api_postgres_databases_database_slots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/accept_gap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Captures a database again after a gap, without sending what was missed
         * @description Scope: `operate`. From psql: `millrace.accept_gap`.
         */
        post: operations["post_api_postgres_databases_database_accept_gap"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Releases a database from the file, whose entry then has no effect
         * @description Scope: `admin`.
         */
        post: operations["post_api_postgres_databases_database_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns a database that was released to the file
         * @description Scope: `admin`.
         */
        post: operations["post_api_postgres_databases_database_adopt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/test_connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connects to a database that is not stored yet, and runs the checks of the doctor
         * @description Scope: `admin`.
         */
        post: operations["post_api_postgres_databases_test_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/test_connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connects to a database, as stored or as changed by the keys of a body, and runs the checks of the doctor
         * @description Scope: `operate`.
         */
        post: operations["post_api_postgres_databases_database_test_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/tables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tables of a source as they are now: key, identity, whether they are published, and which sinks include them
         * @description Scope: `read`.
         */
        get: operations["get_api_postgres_databases_database_tables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/tables/{table}/record_type": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The TypeScript type of a table's rows, for writing functions
         * @description Scope: `read`.
         */
        get: operations["get_api_postgres_databases_database_tables_table_record_type"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/tables/{table}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The last rows of a table by key, as messages of a backfill
         * @description Scope: `read:data`.
         */
        get: operations["get_api_postgres_databases_database_tables_table_rows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/refresh_tables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reads the tables of a source again, and updates the publication that Millrace made
         * @description Scope: `operate`.
         */
        post: operations["post_api_postgres_databases_database_refresh_tables"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/setup_sql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The SQL for an administrator to run in a source: a role with the least rights, the publication, the slot
         * @description Scope: `read`.
         */
        get: operations["get_api_postgres_databases_database_setup_sql"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/setup_sql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The same for a database that is not stored yet
         * @description Scope: `read`.
         */
        post: operations["post_api_postgres_databases_setup_sql"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All sinks, with their health and how much is pending
         * @description Scope: `read`. From psql: `millrace.sink_status`.
         */
        get: operations["get_api_sinks"];
        put?: never;
        /**
         * Creates a sink; a search index only if Test Connection succeeds
         * @description Scope: `admin`.
         */
        post: operations["post_api_sinks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One sink, by its name or id
         * @description Scope: `read`. From psql: `millrace.sink_status`.
         */
        get: operations["get_api_sinks_sink"];
        /**
         * Changes a sink: the given keys replace the stored ones, null restores the default. Everything but `status` needs `admin`
         * @description Scope: `operate`.
         */
        put: operations["put_api_sinks_sink"];
        post?: never;
        /**
         * Deletes a sink with its messages
         * @description Scope: `admin`.
         */
        delete: operations["delete_api_sinks_sink"];
        options?: never;
        head?: never;
        /**
         * Changes a sink: the given keys replace the stored ones, null restores the default. Everything but `status` needs `admin`
         * @description Scope: `operate`.
         */
        patch: operations["patch_api_sinks_sink"];
        trace?: never;
    };
    "/api/sinks/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks a sink that is not stored yet, and shows its YAML
         * @description Scope: `admin`.
         */
        post: operations["post_api_sinks_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Shows what these keys would change in a sink, and the resulting YAML; also for one that the file declares
         * @description Scope: `admin`.
         */
        post: operations["post_api_sinks_sink_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops delivery to a sink; its messages are kept
         * @description Scope: `operate`. From psql: `millrace.pause`.
         */
        post: operations["post_api_sinks_sink_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resumes delivery to a sink
         * @description Scope: `operate`. From psql: `millrace.resume`.
         */
        post: operations["post_api_sinks_sink_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops delivery to a sink, and keeps no changes for it from now on
         * @description Scope: `operate`. From psql: `millrace.disable`.
         */
        post: operations["post_api_sinks_sink_disable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tries the failing destination of a sink again now, instead of within half a minute
         * @description Scope: `operate`. From psql: `millrace.probe`.
         */
        post: operations["post_api_sinks_sink_probe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/notices/{code}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismisses notices of a sink that do not go away by themselves
         * @description Scope: `operate`. From psql: `millrace.dismiss`.
         */
        post: operations["post_api_sinks_sink_notices_code_dismiss"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Releases a sink from the file, whose entry then has no effect
         * @description Scope: `admin`.
         */
        post: operations["post_api_sinks_sink_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns a sink that was released to the file
         * @description Scope: `admin`.
         */
        post: operations["post_api_sinks_sink_adopt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/test_connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connects to the destination of a sink that is not stored yet
         * @description Scope: `admin`.
         */
        post: operations["post_api_sinks_test_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/test_connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connects to the destination of a sink, as stored or as changed by the keys of a body
         * @description Scope: `operate`.
         */
        post: operations["post_api_sinks_sink_test_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened to the messages of a sink, by minute or hour
         * @description Scope: `read`. From psql: `millrace.sink_metrics`.
         */
        get: operations["get_api_sinks_sink_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/messages/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Parked messages of a sink in groups of equal errors, the largest first
         * @description Scope: `read`.
         */
        get: operations["get_api_sinks_sink_messages_groups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages of a sink that are not settled, by id
         * @description Scope: `read`. From psql: `millrace.pending_messages`.
         */
        get: operations["get_api_sinks_sink_messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/messages/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many of the first 100,000 messages of a sink match a filter
         * @description Scope: `read`. From psql: `millrace.pending_messages`.
         */
        get: operations["get_api_sinks_sink_messages_count"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One message of a sink
         * @description Scope: `read`. From psql: `millrace.pending_messages`.
         */
        get: operations["get_api_sinks_sink_messages_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/messages/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Failed deliveries of one message of a sink: the first and the last nine
         * @description Scope: `read`.
         */
        get: operations["get_api_sinks_sink_messages_id_attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Failed deliveries of a sink, newest first
         * @description Scope: `read`.
         */
        get: operations["get_api_sinks_sink_attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/messages/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retries parked messages of a sink, by ids or by a filter
         * @description Scope: `operate`. From psql: `millrace.retry`.
         */
        post: operations["post_api_sinks_sink_messages_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/messages/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retries a parked message of a sink
         * @description Scope: `operate`. From psql: `millrace.retry`.
         */
        post: operations["post_api_sinks_sink_messages_id_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/messages/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discards failed messages of a sink, by ids or by a filter
         * @description Scope: `operate`. From psql: `millrace.discard`.
         */
        post: operations["post_api_sinks_sink_messages_discard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/messages/{id}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discards a failed message of a sink
         * @description Scope: `operate`. From psql: `millrace.discard`.
         */
        post: operations["post_api_sinks_sink_messages_id_discard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/backfills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Backfills of a sink, newest first
         * @description Scope: `read`. From psql: `millrace.operation_status`.
         */
        get: operations["get_api_sinks_sink_backfills"];
        put?: never;
        /**
         * Sends existing rows: of all tables of a sink, of one table, or from a value on
         * @description Scope: `operate`. From psql: `millrace.backfill`.
         */
        post: operations["post_api_sinks_sink_backfills"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/backfills/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One backfill of a sink
         * @description Scope: `read`. From psql: `millrace.operation_status`.
         */
        get: operations["get_api_sinks_sink_backfills_id"];
        /**
         * Pauses, resumes or cancels a backfill, by `state`
         * @description Scope: `operate`. From psql: `millrace.cancel_backfill`.
         */
        put: operations["put_api_sinks_sink_backfills_id"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Pauses, resumes or cancels a backfill, by `state`
         * @description Scope: `operate`. From psql: `millrace.cancel_backfill`.
         */
        patch: operations["patch_api_sinks_sink_backfills_id"];
        trace?: never;
    };
    "/api/change_retentions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All change retentions, with their health and how much is pending
         * @description Scope: `read`. From psql: `millrace.sink_status`.
         */
        get: operations["get_api_change_retentions"];
        put?: never;
        /**
         * Creates a change retention
         * @description Scope: `admin`.
         */
        post: operations["post_api_change_retentions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One change retention, by its name or id
         * @description Scope: `read`. From psql: `millrace.sink_status`.
         */
        get: operations["get_api_change_retentions_sink"];
        /**
         * Changes a change retention: the given keys replace the stored ones, null restores the default. Everything but `status` needs `admin`
         * @description Scope: `operate`.
         */
        put: operations["put_api_change_retentions_sink"];
        post?: never;
        /**
         * Deletes a change retention with its messages
         * @description Scope: `admin`.
         */
        delete: operations["delete_api_change_retentions_sink"];
        options?: never;
        head?: never;
        /**
         * Changes a change retention: the given keys replace the stored ones, null restores the default. Everything but `status` needs `admin`
         * @description Scope: `operate`.
         */
        patch: operations["patch_api_change_retentions_sink"];
        trace?: never;
    };
    "/api/change_retentions/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks a change retention that is not stored yet, and shows its YAML
         * @description Scope: `admin`.
         */
        post: operations["post_api_change_retentions_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Shows what these keys would change in a change retention, and the resulting YAML; also for one that the file declares
         * @description Scope: `admin`.
         */
        post: operations["post_api_change_retentions_sink_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops delivery to a change retention; its messages are kept
         * @description Scope: `operate`. From psql: `millrace.pause`.
         */
        post: operations["post_api_change_retentions_sink_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resumes delivery to a change retention
         * @description Scope: `operate`. From psql: `millrace.resume`.
         */
        post: operations["post_api_change_retentions_sink_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops delivery to a change retention, and keeps no changes for it from now on
         * @description Scope: `operate`. From psql: `millrace.disable`.
         */
        post: operations["post_api_change_retentions_sink_disable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tries the failing destination of a change retention again now, instead of within half a minute
         * @description Scope: `operate`. From psql: `millrace.probe`.
         */
        post: operations["post_api_change_retentions_sink_probe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/notices/{code}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismisses notices of a change retention that do not go away by themselves
         * @description Scope: `operate`. From psql: `millrace.dismiss`.
         */
        post: operations["post_api_change_retentions_sink_notices_code_dismiss"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Releases a change retention from the file, whose entry then has no effect
         * @description Scope: `admin`.
         */
        post: operations["post_api_change_retentions_sink_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns a change retention that was released to the file
         * @description Scope: `admin`.
         */
        post: operations["post_api_change_retentions_sink_adopt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/test_connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connects to the destination of a change retention that is not stored yet
         * @description Scope: `admin`.
         */
        post: operations["post_api_change_retentions_test_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/test_connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connects to the destination of a change retention, as stored or as changed by the keys of a body
         * @description Scope: `operate`.
         */
        post: operations["post_api_change_retentions_sink_test_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened to the messages of a change retention, by minute or hour
         * @description Scope: `read`. From psql: `millrace.sink_metrics`.
         */
        get: operations["get_api_change_retentions_sink_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/messages/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Parked messages of a change retention in groups of equal errors, the largest first
         * @description Scope: `read`.
         */
        get: operations["get_api_change_retentions_sink_messages_groups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages of a change retention that are not settled, by id
         * @description Scope: `read`. From psql: `millrace.pending_messages`.
         */
        get: operations["get_api_change_retentions_sink_messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/messages/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many of the first 100,000 messages of a change retention match a filter
         * @description Scope: `read`. From psql: `millrace.pending_messages`.
         */
        get: operations["get_api_change_retentions_sink_messages_count"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One message of a change retention
         * @description Scope: `read`. From psql: `millrace.pending_messages`.
         */
        get: operations["get_api_change_retentions_sink_messages_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/messages/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Failed deliveries of one message of a change retention: the first and the last nine
         * @description Scope: `read`.
         */
        get: operations["get_api_change_retentions_sink_messages_id_attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Failed deliveries of a change retention, newest first
         * @description Scope: `read`.
         */
        get: operations["get_api_change_retentions_sink_attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/messages/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retries parked messages of a change retention, by ids or by a filter
         * @description Scope: `operate`. From psql: `millrace.retry`.
         */
        post: operations["post_api_change_retentions_sink_messages_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/messages/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retries a parked message of a change retention
         * @description Scope: `operate`. From psql: `millrace.retry`.
         */
        post: operations["post_api_change_retentions_sink_messages_id_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/messages/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discards failed messages of a change retention, by ids or by a filter
         * @description Scope: `operate`. From psql: `millrace.discard`.
         */
        post: operations["post_api_change_retentions_sink_messages_discard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/messages/{id}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discards a failed message of a change retention
         * @description Scope: `operate`. From psql: `millrace.discard`.
         */
        post: operations["post_api_change_retentions_sink_messages_id_discard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Entries of the change table, in the order of their seq
         * @description Scope: `read:data`.
         */
        get: operations["get_api_change_retentions_sink_entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How old entries of the change table are deleted, when that last happened, and any problem with it
         * @description Scope: `read`.
         */
        get: operations["get_api_change_retentions_sink_policy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/sql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The SQL that creates the change table and deletes its old entries
         * @description Scope: `read`.
         */
        get: operations["get_api_change_retentions_sink_sql"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/sql": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The SQL that creates the change table of a change retention that is not stored yet
         * @description Scope: `read`.
         */
        post: operations["post_api_change_retentions_sql"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change_retentions/{sink}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends entries of the change table to a sink again, or only counts them
         * @description Scope: `operate`. From psql: `millrace.replay`.
         */
        post: operations["post_api_change_retentions_sink_replays"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recorded messages of a sink, newest first, each with its steps
         * @description Scope: `read:data`.
         */
        get: operations["get_api_sinks_sink_preview"];
        put?: never;
        /**
         * Records messages of a sink as they pass through, one a second, while somebody is watching
         * @description Scope: `read:data`.
         */
        post: operations["post_api_sinks_sink_preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/functions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All functions, with the sinks that use them
         * @description Scope: `read`.
         */
        get: operations["get_api_functions"];
        put?: never;
        /**
         * Creates a function, once it compiles and has processed a made-up message
         * @description Scope: `admin`.
         */
        post: operations["post_api_functions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/functions/{function}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One function, by its name or id
         * @description Scope: `read`.
         */
        get: operations["get_api_functions_function"];
        /**
         * Changes a function: the given keys replace the stored ones, null restores the default. It applies to messages that are not shaped yet
         * @description Scope: `admin`.
         */
        put: operations["put_api_functions_function"];
        post?: never;
        /**
         * Deletes a function that no sink uses
         * @description Scope: `admin`.
         */
        delete: operations["delete_api_functions_function"];
        options?: never;
        head?: never;
        /**
         * Changes a function: the given keys replace the stored ones, null restores the default. It applies to messages that are not shaped yet
         * @description Scope: `admin`.
         */
        patch: operations["patch_api_functions_function"];
        trace?: never;
    };
    "/api/functions/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tries a function, stored or not, on up to ten messages; nothing is stored or sent
         * @description Scope: `admin`.
         */
        post: operations["post_api_functions_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/functions/{function}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Releases a function from the file, whose entry then has no effect
         * @description Scope: `admin`.
         */
        post: operations["post_api_functions_function_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/functions/{function}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns a function that was released to the file
         * @description Scope: `admin`.
         */
        post: operations["post_api_functions_function_adopt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/verifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compares a search index with its tables, and repairs it on request
         * @description Scope: `operate`. From psql: `millrace.verify`.
         */
        post: operations["post_api_sinks_sink_verifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sinks/{sink}/rebuilds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fills a second index beside the one of a sink, and says how to switch over
         * @description Scope: `admin`. From psql: `millrace.rebuild`.
         */
        post: operations["post_api_sinks_sink_rebuilds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/resyncs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Captures a database again after a gap, sends all rows, and removes documents of deleted rows
         * @description Scope: `operate`. From psql: `millrace.resync`.
         */
        post: operations["post_api_postgres_databases_database_resyncs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs that operators started, newest first
         * @description Scope: `read`. From psql: `millrace.operation_status`.
         */
        get: operations["get_api_operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One job
         * @description Scope: `read`. From psql: `millrace.operation_status`.
         */
        get: operations["get_api_operations_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operations/{id}/differences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The first 1,000 differences that a verification found
         * @description Scope: `read:data`.
         */
        get: operations["get_api_operations_id_differences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operations/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pauses a job, with everything that it began
         * @description Scope: `operate`. From psql: `millrace.pause_operation`.
         */
        post: operations["post_api_operations_id_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operations/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continues a job that is paused or has failed from where it stopped
         * @description Scope: `operate`. From psql: `millrace.resume_operation`.
         */
        post: operations["post_api_operations_id_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends a job for good, with everything that it began; what it has done stays done
         * @description Scope: `operate`. From psql: `millrace.cancel_operation`.
         */
        post: operations["post_api_operations_id_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What applying a millrace.yaml would change
         * @description Scope: `admin`.
         */
        post: operations["post_api_config_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Applies a millrace.yaml in one transaction
         * @description Scope: `admin`.
         */
        post: operations["post_api_config_apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/config/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything declared, as a millrace.yaml with its secrets masked
         * @description Scope: `admin`.
         */
        get: operations["get_api_config_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Problems of the message database, sources, sinks and processes, with what to run
         * @description Scope: `read`.
         */
        get: operations["get_api_doctor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/postgres_databases/{database}/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the doctor finds in one database
         * @description Scope: `read`.
         */
        get: operations["get_api_postgres_databases_database_checks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything at a glance: the state of each thing, running work, and what needs attention first
         * @description Scope: `read`.
         */
        get: operations["get_api_overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/api_keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All API tokens, without the tokens themselves
         * @description Scope: `admin`.
         */
        get: operations["get_api_api_keys"];
        put?: never;
        /**
         * Creates an API token; only this answer contains it
         * @description Scope: `admin`.
         */
        post: operations["post_api_api_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/api_keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One API token, without the token itself
         * @description Scope: `admin`.
         */
        get: operations["get_api_api_keys_id"];
        put?: never;
        post?: never;
        /**
         * Revokes an API token at once; a token in the file stays revoked until its text there changes
         * @description Scope: `admin`.
         */
        delete: operations["delete_api_api_keys_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All users
         * @description Scope: `admin`.
         */
        get: operations["get_api_users"];
        put?: never;
        /**
         * Creates a user
         * @description Scope: `admin`.
         */
        post: operations["post_api_users"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One user
         * @description Scope: `admin`.
         */
        get: operations["get_api_users_id"];
        put?: never;
        post?: never;
        /**
         * Removes a user and ends their sessions at once
         * @description Scope: `admin`.
         */
        delete: operations["delete_api_users_id"];
        options?: never;
        head?: never;
        /**
         * Changes the given fields of a user
         * @description Scope: `admin`.
         */
        patch: operations["patch_api_users_id"];
        trace?: never;
    };
    "/api/users/{id}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets your own password, with `current_password`; for an admin, also that of another user. Other sessions end
         * @description Whoever has a token.
         */
        post: operations["post_api_users_id_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates the first user, an admin, with the token that a start prints, and logs in
         * @description Without a token, too.
         */
        post: operations["post_api_setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your own sessions; for an admin, also those of another `user`
         * @description Whoever has a token.
         */
        get: operations["get_api_sessions"];
        put?: never;
        /**
         * Logs in; the answer sets a cookie
         * @description Without a token, too.
         */
        post: operations["post_api_sessions"];
        /**
         * Ends all your other sessions; for an admin, all sessions of another `user`
         * @description Whoever has a token.
         */
        delete: operations["delete_api_sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Ends a session: `current` logs out; an admin can end those of others
         * @description Whoever has a token.
         */
        delete: operations["delete_api_sessions_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Seals secrets that were sealed with a key of SECRET_KEY_PREVIOUS again with SECRET_KEY
         * @description Scope: `admin`.
         */
        post: operations["post_api_secrets_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what, newest first
         * @description Scope: `admin`. From psql: `millrace.audit`.
         */
        get: operations["get_api_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The token or the person that asks, what they may do, and the version of the service
         * @description Whoever has a token.
         */
        get: operations["get_api_whoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The settings of the web role that answers, secrets masked
         * @description Scope: `admin`.
         */
        get: operations["get_api_settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/destinations/http_endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An empty list, for tools of Sequin: the address of a webhook stands in its sink
         * @description Scope: `read`.
         */
        get: operations["get_api_destinations_http_endpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/local_tunnels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An empty list, for tools of Sequin: there are no tunnels
         * @description Scope: `read`.
         */
        get: operations["get_api_local_tunnels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This API as an OpenAPI document
         * @description Without a token, too.
         */
        get: operations["get_api_openapi_json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            code: string;
            summary: string;
            remedy?: string;
            validation_errors?: {
                [key: string]: string[];
            };
            request_id: string;
        } & {
            [key: string]: unknown;
        };
        Database: {
            /** Format: uuid */
            id: string;
            name: string;
            hostname: string;
            port: number | null;
            username: string | null;
            database: string;
            /** @enum {string} */
            capture: "replication" | "triggers";
            /** @enum {string} */
            trigger_errors: "fail" | "skip";
            /** @constant */
            password: "********";
            replication_slots: ({
                slot_name: string;
                publication_name: string;
            } & {
                [key: string]: unknown;
            })[];
            health: {
                /** @constant */
                name: "Database";
                /** @enum {string} */
                status: "healthy" | "warning" | "error" | "paused";
                checks: components["schemas"]["HealthCheck"][];
            } & {
                [key: string]: unknown;
            };
            state: {
                state: string | null;
                reason: string | null;
                remedy: string | null;
                since: string | null;
                epoch: number | null;
                commit_lsn: string | null;
                confirmed_lsn: string | null;
                /** @description How many seconds capture is behind the source, by the source's clock, as capture said at most 5 s ago: while something that it has received is not persisted, how long ago the transaction was committed that it is at; while nothing comes, since when it has not passed WAL that was seen there; 0 when all is persisted. Null: no capture process has said so for 15 s. */
                lag_seconds: number | null;
            } & {
                [key: string]: unknown;
            };
            /** @enum {string} */
            managed_by: "file" | "api";
            declared_from: string | null;
            /** @description What its entry in the configuration file was called when it was released, where it was renamed since. Null: it has the name of its entry, or none. */
            entry_name: string | null;
            version: number;
            updated_by: string | null;
            inserted_at: string;
            updated_at: string;
        } & {
            [key: string]: unknown;
        };
        HealthCheck: {
            name: string;
            /** @enum {string} */
            status: "healthy" | "warning" | "error" | "paused" | "notice";
            error: string | null;
            remedy: string | null;
            sql: string | null;
            run_on: string | null;
            command: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The keys of an entry of `databases:` */
        DatabaseEntry: {
            name: string;
            url?: string;
            hostname?: string;
            port?: number;
            database?: string;
            username?: string;
            password?: string;
            ssl?: "prefer" | boolean | {
                ca?: string | null;
                verify?: boolean | "ca";
                channel_binding?: boolean;
            };
            pool_size?: number;
            max_row_bytes?: number;
            /**
             * @default replace
             * @enum {string}
             */
            invalid_utf8: "replace" | "park";
            /**
             * @default replication
             * @enum {string}
             */
            capture: "replication" | "triggers";
            /**
             * @default fail
             * @enum {string}
             */
            trigger_errors: "fail" | "skip";
            slot?: {
                name: string;
                create_if_not_exists?: boolean;
            };
            slot_name?: string;
            publication?: {
                name: string;
                create_if_not_exists?: boolean;
                /** @default null */
                init_sql: string | null;
            };
            publication_name?: string;
            /** @default {} */
            await_database: {
                timeout_ms?: number;
                interval_ms?: number;
            };
            /** @default {} */
            annotations: {
                [key: string]: string;
            };
            replication_slots?: {
                slot_name?: string;
                publication_name?: string;
            }[];
        };
        /** @description The keys of an entry of `databases:` */
        DatabaseChange: {
            name?: string | null;
            url?: string | null;
            hostname?: string | null;
            port?: number | null;
            database?: string | null;
            username?: string | null;
            password?: string | null;
            ssl?: ("prefer" | boolean | {
                ca?: string | null;
                verify?: boolean | "ca";
                channel_binding?: boolean;
            }) | null;
            pool_size?: number | null;
            max_row_bytes?: number | null;
            invalid_utf8?: ("replace" | "park") | null;
            capture?: ("replication" | "triggers") | null;
            trigger_errors?: ("fail" | "skip") | null;
            slot?: {
                name?: string | null;
                create_if_not_exists?: boolean | null;
            } | null;
            slot_name?: string | null;
            publication?: {
                name?: string | null;
                create_if_not_exists?: boolean | null;
                init_sql?: (string | null) | null;
            } | null;
            publication_name?: string | null;
            await_database?: {
                timeout_ms?: number | null;
                interval_ms?: number | null;
            } | null;
            annotations?: {
                [key: string]: string;
            } | null;
            replication_slots?: {
                slot_name?: string;
                publication_name?: string;
            }[] | null;
        };
        DatabaseMetrics: {
            /** @enum {string} */
            step: "minute" | "hour";
            seconds_to_limit: number | null;
            points: ({
                at: string;
                commits: number;
                persisted: number;
                bytes: number;
                lag_bytes: number;
                kept_bytes: number | null;
                limit_bytes: number | null;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        SourceSlots: {
            slots: ({
                name: string;
                ours: boolean;
                /** @enum {string} */
                kind: "logical" | "physical";
                database: string | null;
                active_pid: number | null;
                application: string | null;
                wal_status: string | null;
                kept_bytes: number | null;
                safe_bytes: number | null;
            } & {
                [key: string]: unknown;
            })[];
            limit_bytes: number | null;
            oldest_writer: ({
                pid: number | null;
                prepared: string | null;
                username: string | null;
                application: string | null;
                since: string | null;
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        Check: {
            id: string;
            key: string;
            item: string | null;
            subject: {
                kind: string;
                name: string | null;
            } & {
                [key: string]: unknown;
            };
            /** @enum {string} */
            status: "error" | "warning" | "notice" | "skipped" | "ok";
            summary: string;
            remedy: string | null;
            sql: string | null;
            run_on: string | null;
            command: string | null;
            answer: string | null;
            docs: string;
            link: string | null;
        } & {
            [key: string]: unknown;
        };
        Table: {
            oid: number;
            schema: string;
            name: string;
            /** @enum {string} */
            kind: "table" | "unlogged" | "foreign" | "view" | "matview";
            partitioned: boolean;
            /** @enum {string} */
            identity: "default" | "nothing" | "full" | "index";
            key: string[];
            published: boolean;
            size_bytes: number;
            estimated_rows: number | null;
            sinks: string[];
            columns?: ({
                name: string;
                type: string;
                not_null: boolean;
                generated: ("stored" | "virtual") | null;
            } & {
                [key: string]: unknown;
            })[];
            capture?: {
                comes: boolean;
                finding: ({
                    id: string;
                    /** @enum {string} */
                    status: "error" | "warning" | "notice" | "skipped" | "ok";
                    summary: string;
                    remedy: string | null;
                    sql: string | null;
                    run_on: string | null;
                } & {
                    [key: string]: unknown;
                }) | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        Sink: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            status: "active" | "paused" | "disabled";
            actions?: string[];
            health: {
                /** @constant */
                name: "Sink";
                /** @enum {string} */
                status: "healthy" | "warning" | "error" | "paused";
                checks: components["schemas"]["HealthCheck"][];
            } & {
                [key: string]: unknown;
            };
            state: {
                health: string;
                pending: number;
                pending_is_estimate: boolean;
                retrying: number;
                parked: number;
                oldest_committed_at: string | null;
                /** @description How many seconds ago the source committed the oldest message that waits: of all but the parked ones, those that clients have and those that back off included. By the clocks of the source and of the message database. Null: nothing waits, or the 1,000 oldest messages of a lane are all parked: what is behind so many is not looked for. */
                lag_seconds: number | null;
                /** @description When the first message of all was delivered to it, by the clock of the message database; of a pull consumer acknowledged over HTTP. Null: none was, or it was before releases that write it down. */
                first_delivered_at: string | null;
                /** @description When a message was delivered to it last, as first_delivered_at. It is written at most every 10 s. */
                last_delivered_at: string | null;
                /** @description How many milliseconds after its commit at the source that last message was delivered, by the clocks of the source and of the process that delivered it. Null: not known. */
                last_delivery_ms: number | null;
                error: string | null;
                failing_since: string | null;
                next_probe_at: string | null;
                notices: ({
                    code: string;
                    message: string;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            };
            /** @enum {string} */
            managed_by: "file" | "api";
            declared_from: string | null;
            /** @description What its entry in the configuration file was called when it was released, where it was renamed since. Null: it has the name of its entry, or none. */
            entry_name: string | null;
            /** @enum {string} */
            status_by: "file" | "operator";
            status_reason: string | null;
            version: number;
            updated_by: string | null;
            inserted_at: string;
            updated_at: string;
            kind: string;
            database: string;
            destination: {
                type: string;
            } & {
                [key: string]: unknown;
            };
            active_backfills: ({
                /** Format: uuid */
                id: string;
                table: string | null;
                state: string;
            } & {
                [key: string]: unknown;
            })[];
            readers?: ({
                token: string;
                received_at: string | null;
                acked_at: string | null;
                address: string;
            } & {
                [key: string]: unknown;
            })[];
            waiting_receives?: number;
            max_retry_count?: number | null;
            annotations?: {
                [key: string]: string;
            };
            filter: string;
            transform: string;
            routing: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The keys of an entry of `sinks:` */
        SinkEntry: {
            name: string;
            database: string;
            /**
             * @default active
             * @enum {string}
             */
            status: "active" | "paused" | "disabled";
            source?: {
                /** @default null */
                include_schemas: string[] | null;
                /** @default null */
                exclude_schemas: string[] | null;
                include_tables?: string[] | null;
                exclude_tables?: string[] | null;
            };
            table?: string;
            schema?: string;
            /**
             * @default [
             *       "insert",
             *       "update",
             *       "delete"
             *     ]
             */
            actions: ("insert" | "update" | "delete")[];
            filters?: {
                column_name: string;
                /** @default null */
                field_path: string | null;
                field_type?: ("string" | "number" | "boolean" | "datetime") | null;
                /** @enum {string} */
                operator: "=" | "!=" | ">" | "<" | ">=" | "<=" | "in" | "not_in" | "is_null" | "not_null";
                comparison_value?: (string | number | boolean) | (string | number | boolean)[] | null;
            }[];
            /** @enum {string} */
            filter_leave?: "delete" | "keep";
            /** @default null */
            filter: string | null;
            /** @default null */
            transform: string | null;
            /** @default null */
            routing: string | null;
            message_grouping?: boolean;
            tables?: {
                name: string;
                /** @default null */
                group_column_names: string[] | null;
            }[];
            group_column_names?: string[];
            /** @default {} */
            annotations: {
                [key: string]: string;
            };
            max_retry_count?: number | null;
            batch_size?: number;
            timestamp_format?: string;
            initial_backfill?: boolean | {
                table: string;
            }[];
            destination: {
                /** @enum {string} */
                type: "pull" | "sequin_stream";
                visibility_timeout_ms?: number;
                max_ack_pending?: number;
                max_waiting?: number;
                max_per_group?: number;
            } | {
                /** @enum {string} */
                type: "elasticsearch" | "opensearch" | "search_index";
                endpoint_url: string;
                index_name: string;
                /**
                 * @default api_key
                 * @enum {string}
                 */
                auth_type: "api_key" | "basic" | "bearer" | "none";
                auth_value?: string | null;
                batch_size?: number;
                batch_bytes?: number;
                /**
                 * @default none
                 * @enum {string}
                 */
                compression: "none" | "gzip";
                /**
                 * @default external
                 * @enum {string}
                 */
                versioning: "external" | "none";
                /** @default {} */
                tls: {
                    ca?: string | null;
                    verify?: boolean;
                };
            } | {
                /** @enum {string} */
                type: "webhook" | "http_push";
                url: string;
                /**
                 * @default POST
                 * @enum {string}
                 */
                method: "POST" | "PUT" | "PATCH";
                headers?: {
                    [key: string]: string;
                };
                encrypted_headers?: {
                    [key: string]: string;
                };
                /** @default [] */
                signing_secrets: string[];
                batch?: boolean;
                batch_size?: number;
                timeout_ms?: number;
                parallel?: number;
                /** @default {} */
                tls: {
                    ca?: string | null;
                    verify?: boolean;
                };
            };
        };
        /** @description The keys of an entry of `sinks:` */
        SinkChange: {
            name?: string | null;
            database?: string | null;
            status?: ("active" | "paused" | "disabled") | null;
            source?: {
                include_schemas?: (string[] | null) | null;
                exclude_schemas?: (string[] | null) | null;
                include_tables?: (string[] | null) | null;
                exclude_tables?: (string[] | null) | null;
            } | null;
            table?: string | null;
            schema?: string | null;
            actions?: ("insert" | "update" | "delete")[] | null;
            filters?: {
                column_name: string;
                /** @default null */
                field_path: string | null;
                field_type?: ("string" | "number" | "boolean" | "datetime") | null;
                /** @enum {string} */
                operator: "=" | "!=" | ">" | "<" | ">=" | "<=" | "in" | "not_in" | "is_null" | "not_null";
                comparison_value?: (string | number | boolean) | (string | number | boolean)[] | null;
            }[] | null;
            filter_leave?: ("delete" | "keep") | null;
            filter?: (string | null) | null;
            transform?: (string | null) | null;
            routing?: (string | null) | null;
            message_grouping?: boolean | null;
            tables?: {
                name: string;
                /** @default null */
                group_column_names: string[] | null;
            }[] | null;
            group_column_names?: string[] | null;
            annotations?: {
                [key: string]: string;
            } | null;
            max_retry_count?: (number | null) | null;
            batch_size?: number | null;
            timestamp_format?: string | null;
            initial_backfill?: (boolean | {
                table: string;
            }[]) | null;
            destination?: ({
                type?: ("pull" | "sequin_stream") | null;
                visibility_timeout_ms?: number | null;
                max_ack_pending?: number | null;
                max_waiting?: number | null;
                max_per_group?: number | null;
            } | {
                type?: ("elasticsearch" | "opensearch" | "search_index") | null;
                endpoint_url?: string | null;
                index_name?: string | null;
                auth_type?: ("api_key" | "basic" | "bearer" | "none") | null;
                auth_value?: (string | null) | null;
                batch_size?: number | null;
                batch_bytes?: number | null;
                compression?: ("none" | "gzip") | null;
                versioning?: ("external" | "none") | null;
                tls?: {
                    ca?: (string | null) | null;
                    verify?: boolean | null;
                } | null;
            } | {
                type?: ("webhook" | "http_push") | null;
                url?: string | null;
                method?: ("POST" | "PUT" | "PATCH") | null;
                headers?: {
                    [key: string]: string;
                } | null;
                encrypted_headers?: {
                    [key: string]: string;
                } | null;
                signing_secrets?: string[] | null;
                batch?: boolean | null;
                batch_size?: number | null;
                timeout_ms?: number | null;
                parallel?: number | null;
                tls?: {
                    ca?: (string | null) | null;
                    verify?: boolean | null;
                } | null;
            }) | null;
        };
        SinkMetrics: {
            /** @enum {string} */
            step: "minute" | "hour";
            points: ({
                at: string;
                persisted: number;
                delivered: number;
                failed: number;
                retried: number;
                parked: number;
                discarded: number;
                bytes: number;
                latency_ms: {
                    p50: number | null;
                    p90: number | null;
                    p95: number | null;
                    p99: number | null;
                } & {
                    [key: string]: unknown;
                };
                latency_buckets: number[];
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        MessageGroup: {
            stage: string | null;
            count: number;
            first_at: string;
            last_at: string;
            tables: string[];
            sample_id: number;
            filter: {
                /** @constant */
                state: "parked";
                group: string;
            } & {
                [key: string]: unknown;
            };
            record_pk?: string | null;
            error?: string | null;
        } & {
            [key: string]: unknown;
        };
        Message: {
            id: number;
            /** @enum {string} */
            state: "waiting" | "leased" | "retrying" | "held" | "parked";
            stage: string | null;
            action: string;
            table_schema: string;
            table_name: string;
            record_pk?: string | null;
            attempts: number;
            error?: ({
                status: number | null;
                type: string | null;
                text: string;
            } & {
                [key: string]: unknown;
            }) | null;
            size: number;
            committed_at: string;
            visible_at: string | null;
            parked_at: string | null;
            message?: unknown;
            shaped?: components["schemas"]["ShapedMessage"];
        } & {
            [key: string]: unknown;
        };
        ShapedMessage: ({
            ok: boolean;
            kept?: boolean;
            result?: unknown;
            index_name?: string;
            old_index_name?: string;
            error?: {
                function: string;
                message: string;
                line: number | null;
                column: number | null;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        }) | null;
        Attempt: {
            id: number;
            message_id: number;
            attempt: number;
            at: string;
            stage: string;
            took_ms: number | null;
            status: number | null;
            type: string | null;
            text?: string;
        } & {
            [key: string]: unknown;
        };
        Settled: {
            count: number;
            more: boolean;
        } & {
            [key: string]: unknown;
        };
        Operation: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "backfill" | "replay" | "verify" | "rebuild" | "resync" | "retry" | "discard";
            sink: string | null;
            database: string;
            /** @enum {string} */
            state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
            phase: string | null;
            progress: {
                table: string | null;
                done: number;
                sent: number;
                total: number | null;
                percent: number | null;
                per_second: number | null;
                seconds_left: number | null;
            } & {
                [key: string]: unknown;
            };
            result: {
                [key: string]: unknown;
            } | null;
            steps: ({
                at: string;
                text: string;
            } & {
                [key: string]: unknown;
            })[];
            lines: string[];
            reason: string | null;
            remedy: string | null;
            attempt: number | null;
            requested_by: string | null;
            inserted_at: string;
            started_at: string | null;
            ended_at: string | null;
        } & {
            [key: string]: unknown;
        };
        Backfill: {
            /** Format: uuid */
            id: string;
            sink_consumer: string;
            table: string | null;
            /** @enum {string} */
            state: "active" | "paused" | "completed" | "failed" | "cancelled";
            rows_initial_count: number | null;
            rows_processed_count: number;
            rows_ingested_count: number;
            sort_column: string | null;
            reason: string | null;
            remedy: string | null;
            inserted_at: string;
            updated_at: string;
            completed_at: string | null;
            canceled_at: string | null;
        } & {
            [key: string]: unknown;
        };
        ChangeRetention: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            status: "active" | "paused" | "disabled";
            actions?: string[];
            health: {
                /** @constant */
                name: "Sink";
                /** @enum {string} */
                status: "healthy" | "warning" | "error" | "paused";
                checks: components["schemas"]["HealthCheck"][];
            } & {
                [key: string]: unknown;
            };
            state: {
                health: string;
                pending: number;
                pending_is_estimate: boolean;
                retrying: number;
                parked: number;
                oldest_committed_at: string | null;
                /** @description How many seconds ago the source committed the oldest message that waits: of all but the parked ones, those that clients have and those that back off included. By the clocks of the source and of the message database. Null: nothing waits, or the 1,000 oldest messages of a lane are all parked: what is behind so many is not looked for. */
                lag_seconds: number | null;
                /** @description When the first message of all was delivered to it, by the clock of the message database; of a pull consumer acknowledged over HTTP. Null: none was, or it was before releases that write it down. */
                first_delivered_at: string | null;
                /** @description When a message was delivered to it last, as first_delivered_at. It is written at most every 10 s. */
                last_delivered_at: string | null;
                /** @description How many milliseconds after its commit at the source that last message was delivered, by the clocks of the source and of the process that delivered it. Null: not known. */
                last_delivery_ms: number | null;
                error: string | null;
                failing_since: string | null;
                next_probe_at: string | null;
                notices: ({
                    code: string;
                    message: string;
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            };
            /** @enum {string} */
            managed_by: "file" | "api";
            declared_from: string | null;
            /** @description What its entry in the configuration file was called when it was released, where it was renamed since. Null: it has the name of its entry, or none. */
            entry_name: string | null;
            /** @enum {string} */
            status_by: "file" | "operator";
            status_reason: string | null;
            version: number;
            updated_by: string | null;
            inserted_at: string;
            updated_at: string;
            source_database: string;
            source_table_schema: string;
            source_table_name: string;
            destination_database: string;
            destination_table_schema: string;
            destination_table_name: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The keys of an entry of `change_retentions:` */
        ChangeRetentionEntry: {
            name: string;
            /**
             * @default active
             * @enum {string}
             */
            status: "active" | "paused" | "disabled";
            source_database: string;
            /** @default public */
            source_table_schema: string;
            source_table_name: string;
            /**
             * @default [
             *       "insert",
             *       "update",
             *       "delete"
             *     ]
             */
            actions: ("insert" | "update" | "delete")[];
            filters?: {
                column_name: string;
                /** @default null */
                field_path: string | null;
                field_type?: ("string" | "number" | "boolean" | "datetime") | null;
                /** @enum {string} */
                operator: "=" | "!=" | ">" | "<" | ">=" | "<=" | "in" | "not_in" | "is_null" | "not_null";
                comparison_value?: (string | number | boolean) | (string | number | boolean)[] | null;
            }[];
            destination_database: string;
            /** @default public */
            destination_table_schema: string;
            destination_table_name: string;
            create_if_not_exists?: boolean;
            retention?: {
                /** @enum {string} */
                by: "job" | "pg_cron" | "pg_partman";
                keep: string;
                every?: string;
                interval?: string;
            } | null;
        };
        /** @description The keys of an entry of `change_retentions:` */
        ChangeRetentionChange: {
            name?: string | null;
            status?: ("active" | "paused" | "disabled") | null;
            source_database?: string | null;
            source_table_schema?: string | null;
            source_table_name?: string | null;
            actions?: ("insert" | "update" | "delete")[] | null;
            filters?: {
                column_name: string;
                /** @default null */
                field_path: string | null;
                field_type?: ("string" | "number" | "boolean" | "datetime") | null;
                /** @enum {string} */
                operator: "=" | "!=" | ">" | "<" | ">=" | "<=" | "in" | "not_in" | "is_null" | "not_null";
                comparison_value?: (string | number | boolean) | (string | number | boolean)[] | null;
            }[] | null;
            destination_database?: string | null;
            destination_table_schema?: string | null;
            destination_table_name?: string | null;
            create_if_not_exists?: boolean | null;
            retention?: ({
                /** @enum {string} */
                by: "job" | "pg_cron" | "pg_partman";
                keep: string;
                every?: string;
                interval?: string;
            } | null) | null;
        };
        ChangeEntry: {
            id: number;
            seq: number;
            source_table_schema: string;
            source_table_name: string;
            record_pk: string;
            action: string;
            record: unknown;
            changes: unknown;
            committed_at: string;
            inserted_at: string;
        } & {
            [key: string]: unknown;
        };
        RetentionPolicy: {
            /** @enum {string} */
            by: "none" | "job" | "pg_cron" | "pg_partman";
            keep: string | null;
            /** @enum {string} */
            state: "none" | "waiting" | "ok" | "warning" | "failing";
            last_run: string | null;
            deleted: number | null;
            next_run: string | null;
            partitions_ahead: number | null;
            reason: string | null;
            remedy: string | null;
            sql: string | null;
        } & {
            [key: string]: unknown;
        };
        ReplayPreview: {
            entries: number;
            inserts: number;
            updates: number;
            deletes: number;
            first_seq: number | null;
            last_seq: number | null;
            first_at: string | null;
            last_at: string | null;
            actions: string[];
            is_filtered: boolean;
        } & {
            [key: string]: unknown;
        };
        RecentMessage: {
            id: number;
            message_id: number;
            at: string;
            action: string;
            table_schema: string;
            table_name: string;
            record_pk: string | null;
            steps: {
                captured: {
                    at: string;
                    size: number;
                    message: unknown;
                } & {
                    [key: string]: unknown;
                };
                shaped: ({
                    took_ms: number;
                    kept: boolean;
                } & {
                    [key: string]: unknown;
                }) | null;
                sent: ({
                    at: string;
                    took_ms: number;
                    deliveries: unknown;
                } & {
                    [key: string]: unknown;
                }) | null;
                settled: ({
                    took_ms: number;
                } & {
                    [key: string]: unknown;
                }) | null;
                answer: {
                    outcome: string;
                    stage: string | null;
                    status: number | null;
                    type: string | null;
                    text: string | null;
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        Function: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            type: "transform" | "routing" | "filter" | "path";
            sink_type: string | null;
            code: string | null;
            path: string | null;
            used_by: string[];
            /** @enum {string} */
            managed_by: "file" | "api";
            declared_from: string | null;
            /** @description What its entry in the configuration file was called when it was released, where it was renamed since. Null: it has the name of its entry, or none. */
            entry_name: string | null;
            version: number;
            updated_by: string | null;
            inserted_at: string;
            updated_at: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The keys of an entry of `functions:` */
        FunctionEntry: {
            name: string;
            description?: string | null;
            type?: unknown;
            sink_type?: string | null;
            code?: string;
            file?: string;
            path?: string;
            transform?: {
                type?: unknown;
                sink_type?: string | null;
                code?: string;
                file?: string;
                path?: string;
            };
            function?: {
                type?: unknown;
                sink_type?: string | null;
                code?: string;
                file?: string;
                path?: string;
            };
        };
        /** @description The keys of an entry of `functions:` */
        FunctionChange: {
            name?: string | null;
            description?: (string | null) | null;
            type?: unknown | null;
            sink_type?: (string | null) | null;
            code?: string | null;
            file?: string | null;
            path?: string | null;
            transform?: {
                type?: unknown | null;
                sink_type?: (string | null) | null;
                code?: string | null;
                file?: string | null;
                path?: string | null;
            } | null;
            function?: {
                type?: unknown | null;
                sink_type?: (string | null) | null;
                code?: string | null;
                file?: string | null;
                path?: string | null;
            } | null;
        };
        FunctionResult: {
            ok: boolean;
            result?: unknown;
            error?: {
                message: string;
                line: number | null;
                column: number | null;
            } & {
                [key: string]: unknown;
            };
            took_ms: number;
        } & {
            [key: string]: unknown;
        };
        Difference: {
            /** @enum {string} */
            kind: "missing" | "extra" | "different";
            index: string;
            id: string;
            table: string | null;
            key: string[] | null;
            fields: string[];
            reason: string | null;
        } & {
            [key: string]: unknown;
        };
        Overview: {
            at: string;
            version: string;
            /** @enum {string} */
            health: "healthy" | "warning" | "error" | "paused";
            is_playground: boolean;
            attention: components["schemas"]["Attention"][];
            attention_count: number;
            totals: {
                per_second: {
                    persisted: number;
                    delivered: number;
                    failed: number;
                } & {
                    [key: string]: unknown;
                };
                latency_ms: {
                    p50: number | null;
                    p99: number | null;
                } & {
                    [key: string]: unknown;
                };
                hour: {
                    persisted: number[];
                    delivered: number[];
                } & {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
            databases: components["schemas"]["OverviewDatabase"][];
            sinks: components["schemas"]["OverviewSink"][];
            change_retentions: components["schemas"]["OverviewSink"][];
            operations: components["schemas"]["OverviewOperation"][];
            operations_count: number;
            processes: components["schemas"]["Process"][];
        } & {
            [key: string]: unknown;
        };
        Attention: {
            id: string;
            key: string;
            item: string | null;
            subject: {
                kind: string;
                name: string | null;
            } & {
                [key: string]: unknown;
            };
            /** @enum {string} */
            status: "error" | "warning" | "notice" | "skipped" | "ok";
            summary: string;
            remedy: string | null;
            sql: string | null;
            run_on: string | null;
            command: string | null;
            answer: string | null;
            docs: string;
            link: string | null;
            since: string | null;
            act: ({
                /** @constant */
                method: "POST";
                path: string;
                body: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            }) | null;
        } & {
            [key: string]: unknown;
        };
        OverviewDatabase: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            health: "healthy" | "warning" | "error" | "paused";
            reasons: string[];
            state: string | null;
            state_since: string | null;
            lag_bytes: number | null;
            /** @description How many seconds capture is behind the source, by the source's clock, as capture said at most 5 s ago: while something that it has received is not persisted, how long ago the transaction was committed that it is at; while nothing comes, since when it has not passed WAL that was seen there; 0 when all is persisted. Null: no capture process has said so for 15 s. */
            lag_seconds: number | null;
            kept_bytes: number | null;
            limit_bytes: number | null;
        } & {
            [key: string]: unknown;
        };
        OverviewSink: {
            /** Format: uuid */
            id: string;
            name: string;
            kind: string;
            database: string;
            status: string;
            /** @enum {string} */
            health: "healthy" | "warning" | "error" | "paused";
            reasons: string[];
            pending: number;
            pending_is_estimate: boolean;
            retrying: number;
            parked: number;
            oldest_seconds: number | null;
            /** @description How many seconds ago the source committed the oldest message that waits: of all but the parked ones, those that clients have and those that back off included. By the clocks of the source and of the message database. Null: nothing waits, or the 1,000 oldest messages of a lane are all parked: what is behind so many is not looked for. */
            lag_seconds: number | null;
            failing_since: string | null;
            per_second: {
                persisted: number;
                delivered: number;
                failed: number;
            } & {
                [key: string]: unknown;
            };
            latency_ms: {
                p50: number | null;
                p99: number | null;
            } & {
                [key: string]: unknown;
            };
            hour: {
                peak: number;
                persisted: number[];
                delivered: number[];
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        OverviewOperation: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "backfill" | "replay" | "verify" | "rebuild" | "resync" | "retry" | "discard";
            sink: string | null;
            database: string;
            /** @enum {string} */
            state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
            phase: string | null;
            progress: {
                table: string | null;
                done: number;
                sent: number;
                total: number | null;
                percent: number | null;
                per_second: number | null;
                seconds_left: number | null;
            } & {
                [key: string]: unknown;
            };
            reason: string | null;
            remedy: string | null;
            attempt: number | null;
            requested_by: string | null;
            inserted_at: string;
            started_at: string | null;
            ended_at: string | null;
        } & {
            [key: string]: unknown;
        };
        Process: {
            /** Format: uuid */
            id: string;
            role: string;
            host: string;
            pid: number;
            version: string;
            key_id: string;
            started_at: string;
            seen_at: string;
            is_present: boolean;
        } & {
            [key: string]: unknown;
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            prefix: string | null;
            scopes: string[];
            weak: boolean;
            /** @enum {string} */
            managed_by: "file" | "api";
            declared_from: string | null;
            created_by: string | null;
            expires_at: string | null;
            last_used_at: string | null;
            revoked_at: string | null;
            inserted_at: string;
        } & {
            [key: string]: unknown;
        };
        NewApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            prefix: string | null;
            scopes: string[];
            weak: boolean;
            /** @enum {string} */
            managed_by: "file" | "api";
            declared_from: string | null;
            created_by: string | null;
            expires_at: string | null;
            last_used_at: string | null;
            revoked_at: string | null;
            inserted_at: string;
            token: string;
        } & {
            [key: string]: unknown;
        };
        User: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string | null;
            scopes: string[];
            has_password: boolean;
            created_by: string;
            inserted_at: string;
            updated_at: string;
            last_login_at: string | null;
            sessions: number;
        } & {
            [key: string]: unknown;
        };
        LoggedIn: {
            user: components["schemas"]["User"];
            /** Format: uuid */
            session_id: string;
            csrf: string;
            expires_at: string;
        } & {
            [key: string]: unknown;
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            user_id: string;
            is_current: boolean;
            inserted_at: string;
            last_used_at: string;
            expires_at: string;
            address: string | null;
            user_agent: string | null;
        } & {
            [key: string]: unknown;
        };
        AuditEntry: {
            id: number;
            at: string;
            actor: string;
            action: string;
            subject: string;
            before: unknown;
            after: unknown;
            request_id: string | null;
        } & {
            [key: string]: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_api_postgres_databases: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Database"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_postgres_databases: {
        parameters: {
            query?: {
                test?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DatabaseEntry"];
            };
        };
        responses: {
            /** @description Made: `Location` says where it is */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        hostname: string;
                        port: number | null;
                        username: string | null;
                        database: string;
                        /** @enum {string} */
                        capture: "replication" | "triggers";
                        /** @enum {string} */
                        trigger_errors: "fail" | "skip";
                        /** @constant */
                        password: "********";
                        replication_slots: ({
                            slot_name: string;
                            publication_name: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                        health: {
                            /** @constant */
                            name: "Database";
                            /** @enum {string} */
                            status: "healthy" | "warning" | "error" | "paused";
                            checks: components["schemas"]["HealthCheck"][];
                        } & {
                            [key: string]: unknown;
                        };
                        state: {
                            state: string | null;
                            reason: string | null;
                            remedy: string | null;
                            since: string | null;
                            epoch: number | null;
                            commit_lsn: string | null;
                            confirmed_lsn: string | null;
                            /** @description How many seconds capture is behind the source, by the source's clock, as capture said at most 5 s ago: while something that it has received is not persisted, how long ago the transaction was committed that it is at; while nothing comes, since when it has not passed WAL that was seen there; 0 when all is persisted. Null: no capture process has said so for 15 s. */
                            lag_seconds: number | null;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @enum {string} */
                        managed_by: "file" | "api";
                        declared_from: string | null;
                        /** @description What its entry in the configuration file was called when it was released, where it was renamed since. Null: it has the name of its entry, or none. */
                        entry_name: string | null;
                        version: number;
                        updated_by: string | null;
                        inserted_at: string;
                        updated_at: string;
                        warnings: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_postgres_databases_database: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Database"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_api_postgres_databases_database: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DatabaseChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        hostname: string;
                        port: number | null;
                        username: string | null;
                        database: string;
                        /** @enum {string} */
                        capture: "replication" | "triggers";
                        /** @enum {string} */
                        trigger_errors: "fail" | "skip";
                        /** @constant */
                        password: "********";
                        replication_slots: ({
                            slot_name: string;
                            publication_name: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                        health: {
                            /** @constant */
                            name: "Database";
                            /** @enum {string} */
                            status: "healthy" | "warning" | "error" | "paused";
                            checks: components["schemas"]["HealthCheck"][];
                        } & {
                            [key: string]: unknown;
                        };
                        state: {
                            state: string | null;
                            reason: string | null;
                            remedy: string | null;
                            since: string | null;
                            epoch: number | null;
                            commit_lsn: string | null;
                            confirmed_lsn: string | null;
                            /** @description How many seconds capture is behind the source, by the source's clock, as capture said at most 5 s ago: while something that it has received is not persisted, how long ago the transaction was committed that it is at; while nothing comes, since when it has not passed WAL that was seen there; 0 when all is persisted. Null: no capture process has said so for 15 s. */
                            lag_seconds: number | null;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @enum {string} */
                        managed_by: "file" | "api";
                        declared_from: string | null;
                        /** @description What its entry in the configuration file was called when it was released, where it was renamed since. Null: it has the name of its entry, or none. */
                        entry_name: string | null;
                        version: number;
                        updated_by: string | null;
                        inserted_at: string;
                        updated_at: string;
                        warnings: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_postgres_databases_database: {
        parameters: {
            query?: {
                force?: "true" | "false";
                release?: "true" | "false";
            };
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        /** @constant */
                        deleted: true;
                        /** @constant */
                        success: true;
                        left: string[];
                        warnings: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_api_postgres_databases_database: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DatabaseChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        hostname: string;
                        port: number | null;
                        username: string | null;
                        database: string;
                        /** @enum {string} */
                        capture: "replication" | "triggers";
                        /** @enum {string} */
                        trigger_errors: "fail" | "skip";
                        /** @constant */
                        password: "********";
                        replication_slots: ({
                            slot_name: string;
                            publication_name: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                        health: {
                            /** @constant */
                            name: "Database";
                            /** @enum {string} */
                            status: "healthy" | "warning" | "error" | "paused";
                            checks: components["schemas"]["HealthCheck"][];
                        } & {
                            [key: string]: unknown;
                        };
                        state: {
                            state: string | null;
                            reason: string | null;
                            remedy: string | null;
                            since: string | null;
                            epoch: number | null;
                            commit_lsn: string | null;
                            confirmed_lsn: string | null;
                            /** @description How many seconds capture is behind the source, by the source's clock, as capture said at most 5 s ago: while something that it has received is not persisted, how long ago the transaction was committed that it is at; while nothing comes, since when it has not passed WAL that was seen there; 0 when all is persisted. Null: no capture process has said so for 15 s. */
                            lag_seconds: number | null;
                        } & {
                            [key: string]: unknown;
                        };
                        /** @enum {string} */
                        managed_by: "file" | "api";
                        declared_from: string | null;
                        /** @description What its entry in the configuration file was called when it was released, where it was renamed since. Null: it has the name of its entry, or none. */
                        entry_name: string | null;
                        version: number;
                        updated_by: string | null;
                        inserted_at: string;
                        updated_at: string;
                        warnings: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_postgres_databases_database_metrics: {
        parameters: {
            query?: {
                step?: "minute" | "hour";
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatabaseMetrics"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_postgres_databases_database_slots: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceSlots"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_postgres_databases_database_accept_gap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default false */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        epoch: number;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_postgres_databases_database_release: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Database"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_postgres_databases_database_adopt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Database"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_postgres_databases_test_connection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DatabaseChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        checks: components["schemas"]["Check"][];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_postgres_databases_database_test_connection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DatabaseChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        checks: components["schemas"]["Check"][];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_postgres_databases_database_tables: {
        parameters: {
            query?: {
                schema?: string;
                q?: string;
                expand?: "columns" | "capture";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Table"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_postgres_databases_database_tables_table_record_type: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
                table: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        record: string;
                        changes: string;
                        typescript: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_postgres_databases_database_tables_table_rows: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path: {
                database: string;
                table: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: ({
                            /** @constant */
                            action: "read";
                            record: unknown;
                            changes: null;
                            metadata: unknown;
                        } & {
                            [key: string]: unknown;
                        })[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_postgres_databases_database_refresh_tables: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        tables: number;
                        added: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_postgres_databases_database_setup_sql: {
        parameters: {
            query?: {
                version?: number;
            };
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        version: number | null;
                        statements: string[];
                        sql: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_postgres_databases_setup_sql: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    version?: number;
                    database: string;
                    /** @default millrace */
                    username?: string;
                    /**
                     * @default replication
                     * @enum {string}
                     */
                    capture?: "replication" | "triggers";
                    slot?: {
                        name: string;
                        /** @default false */
                        create_if_not_exists?: boolean;
                    };
                    slot_name?: string;
                    /** @default millrace */
                    publication_name?: string;
                    /**
                     * @default [
                     *       "public"
                     *     ]
                     */
                    schemas?: string[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        version: number | null;
                        statements: string[];
                        sql: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks: {
        parameters: {
            query?: {
                kind?: string;
                database?: string;
                status?: "active" | "paused" | "disabled";
                health?: "healthy" | "warning" | "error" | "paused";
                managed_by?: "file" | "api";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Sink"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks: {
        parameters: {
            query?: {
                test?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SinkEntry"];
            };
        };
        responses: {
            /** @description Made: `Location` says where it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sink"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sink"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_api_sinks_sink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SinkChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sink"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_sinks_sink: {
        parameters: {
            query?: {
                force?: "true" | "false";
                release?: "true" | "false";
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        /** @constant */
                        deleted: true;
                        /** @constant */
                        success: true;
                        pending: number;
                        parked: number;
                        left: string[];
                        warnings: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_api_sinks_sink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SinkChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sink"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_plan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SinkChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        diff: {
                            path: string;
                            old: unknown;
                            new: unknown;
                        }[];
                        yaml: string;
                        warnings: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_plan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SinkChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        diff: {
                            path: string;
                            old: unknown;
                            new: unknown;
                        }[];
                        yaml: string;
                        warnings: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_pause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sink"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sink"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_disable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sink"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_probe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        probed: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_notices_code_dismiss: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                code: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        dismissed: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_release: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sink"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_adopt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sink"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_test_connection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SinkChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        checks: components["schemas"]["Check"][];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_test_connection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SinkChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        checks: components["schemas"]["Check"][];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink_metrics: {
        parameters: {
            query?: {
                step?: "minute" | "hour";
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SinkMetrics"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink_messages_groups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["MessageGroup"][];
                        next_cursor: null;
                        scanned: number;
                        is_estimate: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink_messages: {
        parameters: {
            query?: {
                state?: "waiting" | "leased" | "retrying" | "held" | "parked";
                table?: string;
                key?: string;
                action?: "insert" | "update" | "delete" | "read";
                error?: string;
                group?: string;
                since?: string;
                until?: string;
                include?: "message";
                order?: "oldest" | "newest";
                after?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Message"][];
                        next_cursor: string | null;
                        scanned: number;
                        last_id: number;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink_messages_count: {
        parameters: {
            query?: {
                state?: "waiting" | "leased" | "retrying" | "held" | "parked";
                table?: string;
                key?: string;
                action?: "insert" | "update" | "delete" | "read";
                error?: string;
                group?: string;
                since?: string;
                until?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        is_estimate: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink_messages_id: {
        parameters: {
            query?: {
                include?: string;
            };
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink_messages_id_attempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Attempt"][];
                        next_cursor: null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink_attempts: {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Attempt"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_messages_retry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    ids?: number[];
                    filter?: {
                        /** @enum {string} */
                        state?: "parked";
                        table?: string;
                        key?: string;
                        /** @enum {string} */
                        action?: "insert" | "update" | "delete" | "read";
                        error?: string;
                        group?: string;
                        since?: string;
                        until?: string;
                    };
                    limit?: number;
                    dry_run?: boolean;
                    expected_count?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"] | components["schemas"]["Operation"];
                };
            };
            /** @description Begun: `Location` says where to watch it */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"] | components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_messages_id_retry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_messages_discard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    ids?: number[];
                    filter?: {
                        /** @enum {string} */
                        state?: "parked" | "retrying" | "held";
                        table?: string;
                        key?: string;
                        /** @enum {string} */
                        action?: "insert" | "update" | "delete" | "read";
                        error?: string;
                        group?: string;
                        since?: string;
                        until?: string;
                    };
                    limit?: number;
                    dry_run?: boolean;
                    expected_count?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"] | components["schemas"]["Operation"];
                };
            };
            /** @description Begun: `Location` says where to watch it */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"] | components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_messages_id_discard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink_backfills: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Backfill"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_backfills: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    table?: string | null;
                    sort_column?: string | null;
                    start_position?: string | number | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink_backfills_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_api_sinks_sink_backfills_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    state: "active" | "paused" | "cancelled";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_api_sinks_sink_backfills_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    state: "active" | "paused" | "cancelled";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions: {
        parameters: {
            query?: {
                database?: string;
                status?: "active" | "paused" | "disabled";
                health?: "healthy" | "warning" | "error" | "paused";
                managed_by?: "file" | "api";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ChangeRetention"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions: {
        parameters: {
            query?: {
                test?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeRetentionEntry"];
            };
        };
        responses: {
            /** @description Made: `Location` says where it is */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRetention"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRetention"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_api_change_retentions_sink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeRetentionChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRetention"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_change_retentions_sink: {
        parameters: {
            query?: {
                force?: "true" | "false";
                release?: "true" | "false";
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        /** @constant */
                        deleted: true;
                        /** @constant */
                        success: true;
                        pending: number;
                        parked: number;
                        left: string[];
                        warnings: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_api_change_retentions_sink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeRetentionChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRetention"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_plan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeRetentionChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        diff: {
                            path: string;
                            old: unknown;
                            new: unknown;
                        }[];
                        yaml: string;
                        warnings: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_plan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeRetentionChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        diff: {
                            path: string;
                            old: unknown;
                            new: unknown;
                        }[];
                        yaml: string;
                        warnings: string[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_pause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRetention"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRetention"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_disable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRetention"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_probe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        probed: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_notices_code_dismiss: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                code: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        dismissed: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_release: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRetention"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_adopt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRetention"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_test_connection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeRetentionChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        checks: components["schemas"]["Check"][];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_test_connection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeRetentionChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        checks: components["schemas"]["Check"][];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink_metrics: {
        parameters: {
            query?: {
                step?: "minute" | "hour";
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SinkMetrics"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink_messages_groups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["MessageGroup"][];
                        next_cursor: null;
                        scanned: number;
                        is_estimate: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink_messages: {
        parameters: {
            query?: {
                state?: "waiting" | "leased" | "retrying" | "held" | "parked";
                table?: string;
                key?: string;
                action?: "insert" | "update" | "delete" | "read";
                error?: string;
                group?: string;
                since?: string;
                until?: string;
                include?: "message";
                order?: "oldest" | "newest";
                after?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Message"][];
                        next_cursor: string | null;
                        scanned: number;
                        last_id: number;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink_messages_count: {
        parameters: {
            query?: {
                state?: "waiting" | "leased" | "retrying" | "held" | "parked";
                table?: string;
                key?: string;
                action?: "insert" | "update" | "delete" | "read";
                error?: string;
                group?: string;
                since?: string;
                until?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        is_estimate: boolean;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink_messages_id: {
        parameters: {
            query?: {
                include?: string;
            };
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink_messages_id_attempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Attempt"][];
                        next_cursor: null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink_attempts: {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Attempt"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_messages_retry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    ids?: number[];
                    filter?: {
                        /** @enum {string} */
                        state?: "parked";
                        table?: string;
                        key?: string;
                        /** @enum {string} */
                        action?: "insert" | "update" | "delete" | "read";
                        error?: string;
                        group?: string;
                        since?: string;
                        until?: string;
                    };
                    limit?: number;
                    dry_run?: boolean;
                    expected_count?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"] | components["schemas"]["Operation"];
                };
            };
            /** @description Begun: `Location` says where to watch it */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"] | components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_messages_id_retry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_messages_discard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    ids?: number[];
                    filter?: {
                        /** @enum {string} */
                        state?: "parked" | "retrying" | "held";
                        table?: string;
                        key?: string;
                        /** @enum {string} */
                        action?: "insert" | "update" | "delete" | "read";
                        error?: string;
                        group?: string;
                        since?: string;
                        until?: string;
                    };
                    limit?: number;
                    dry_run?: boolean;
                    expected_count?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"] | components["schemas"]["Operation"];
                };
            };
            /** @description Begun: `Location` says where to watch it */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"] | components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_messages_id_discard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink_entries: {
        parameters: {
            query?: {
                record_pk?: string;
                action?: "insert" | "update" | "delete";
                since?: string;
                until?: string;
                from_seq?: string;
                to_seq?: string;
                order?: "oldest" | "newest";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ChangeEntry"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink_policy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetentionPolicy"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_change_retentions_sink_sql: {
        parameters: {
            query?: {
                variant?: "plain" | "job" | "pg_cron" | "pg_partman";
                keep?: string;
                every?: string;
                interval?: string;
                partman_version?: "4" | "5";
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sql: string;
                        run_on: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sql: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    destination_database?: string;
                    /** @default public */
                    destination_table_schema?: string;
                    destination_table_name: string;
                    cron_database?: string;
                    /** @enum {string} */
                    variant?: "plain" | "job" | "pg_cron" | "pg_partman";
                    keep?: string;
                    every?: string;
                    interval?: string;
                    /** @enum {string} */
                    partman_version?: "4" | "5";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sql: string;
                        run_on: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_change_retentions_sink_replays: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    sink: string;
                    since?: string | null;
                    until?: string | null;
                    from_seq?: (number | string) | null;
                    to_seq?: (number | string) | null;
                    record_pks?: string[] | null;
                    /** @default false */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"] | components["schemas"]["ReplayPreview"];
                };
            };
            /** @description Begun: `Location` says where to watch it */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"] | components["schemas"]["ReplayPreview"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sinks_sink_preview: {
        parameters: {
            query?: {
                after?: string;
            };
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        until: string | null;
                        data: components["schemas"]["RecentMessage"][];
                        next_cursor: null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_preview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default 600 */
                    seconds?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        until: string | null;
                        data: components["schemas"]["RecentMessage"][];
                        next_cursor: null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_functions: {
        parameters: {
            query?: {
                type?: "transform" | "routing" | "filter" | "path";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Function"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_functions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FunctionEntry"];
            };
        };
        responses: {
            /** @description Made: `Location` says where it is */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Function"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_functions_function: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                function: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Function"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_api_functions_function: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                function: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FunctionChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Function"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_functions_function: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                function: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        /** @constant */
                        deleted: true;
                        /** @constant */
                        success: true;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_api_functions_function: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                function: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FunctionChange"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Function"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_functions_run: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type?: "transform" | "routing" | "filter" | "path";
                    code?: string;
                    path?: string;
                    function?: string;
                    sink?: string;
                    on: {
                        messages?: ({
                            record: Record<string, never>;
                            changes?: Record<string, never> | null;
                            /** @enum {unknown} */
                            action?: "insert" | "update" | "delete" | "read";
                            metadata?: Record<string, never>;
                        } | string)[];
                        recent?: string;
                        rows?: {
                            database: string;
                            table: string;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: components["schemas"]["FunctionResult"][];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_functions_function_release: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                function: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Function"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_functions_function_adopt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                function: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Function"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_verifications: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default false */
                    repair?: boolean;
                    refresh_ms?: number | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Begun: `Location` says where to watch it */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sinks_sink_rebuilds: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sink: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    index: string;
                    transform?: string | null;
                    name?: string | null;
                    alias?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Begun: `Location` says where to watch it */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_postgres_databases_database_resyncs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @default false */
                    force?: boolean;
                    /** @default true */
                    verify?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Begun: `Location` says where to watch it */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_operations: {
        parameters: {
            query?: {
                kind?: "backfill" | "replay" | "verify" | "rebuild" | "resync" | "retry" | "discard";
                state?: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                sink?: string;
                database?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Operation"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_operations_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_operations_id_differences: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Difference"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_operations_id_pause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_operations_id_resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_operations_id_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_config_plan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    yaml: string;
                    /** @default false */
                    prune?: boolean;
                    /** @default [] */
                    adopt?: string[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changes: {
                            resource_type: string;
                            name: string;
                            /** @enum {string} */
                            action: "create" | "update" | "delete";
                            old: {
                                [key: string]: unknown;
                            } | null;
                            new: {
                                [key: string]: unknown;
                            } | null;
                            diff: {
                                path: string;
                                old: unknown;
                                new: unknown;
                            }[];
                        }[];
                        actions: {
                            description: string;
                        }[];
                        warnings: string[];
                        generation: number;
                        losses: string[];
                        summary: {
                            create: number;
                            update: number;
                            delete: number;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_config_apply: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    yaml: string;
                    /** @default false */
                    prune?: boolean;
                    /** @default [] */
                    adopt?: string[];
                    /** @default false */
                    force?: boolean;
                    generation?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changes: {
                            resource_type: string;
                            name: string;
                            /** @enum {string} */
                            action: "create" | "update" | "delete";
                            old: {
                                [key: string]: unknown;
                            } | null;
                            new: {
                                [key: string]: unknown;
                            } | null;
                            diff: {
                                path: string;
                                old: unknown;
                                new: unknown;
                            }[];
                        }[];
                        actions: {
                            description: string;
                        }[];
                        warnings: string[];
                        generation: number;
                        resources: {
                            resource_type: string;
                            name: string;
                        }[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_config_export: {
        parameters: {
            query?: {
                "show-sensitive"?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        yaml: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_doctor: {
        parameters: {
            query?: {
                database?: string;
                sink?: string;
                quick?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ok: boolean;
                        checks: components["schemas"]["Check"][];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_postgres_databases_database_checks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                database: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ok: boolean;
                        checks: components["schemas"]["Check"][];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_overview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_api_keys: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_api_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name: string;
                    scopes: string[];
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_api_keys_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_api_keys_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** Format: uuid */
                        id: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_users: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_users: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    email: string;
                    name?: string | null;
                    password?: string | null;
                    /**
                     * @default [
                     *       "admin"
                     *     ]
                     */
                    scopes?: string[];
                };
            };
        };
        responses: {
            /** @description Made: `Location` says where it is */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_users_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_users_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @constant */
                        deleted: true;
                        /** Format: uuid */
                        id: string;
                        email: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_api_users_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    email?: string;
                    name?: string | null;
                    scopes?: string[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_users_id_password: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    password: string;
                    current_password?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_setup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    token: string;
                    email: string;
                    name?: string | null;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedIn"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_sessions: {
        parameters: {
            query?: {
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Session"][];
                        next_cursor: null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedIn"];
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_sessions: {
        parameters: {
            query?: {
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        ended: number;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_api_sessions_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string | "current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        ended: number;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_api_secrets_rotate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sealed: number;
                        kept: number;
                        key_id: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_audit: {
        parameters: {
            query?: {
                actor?: string;
                subject?: string;
                action?: string;
                since?: string;
                until?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        next_cursor: string | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_whoami: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: ({
                            /** Format: uuid */
                            id: string;
                            name: string;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        user: ({
                            /** Format: uuid */
                            id: string;
                            email: string;
                            name: string | null;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        csrf: string | null;
                        scopes: string[];
                        version: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: ({
                            name: string;
                            value: string | null;
                        } & {
                            [key: string]: unknown;
                        })[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_destinations_http_endpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: unknown[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_local_tunnels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: unknown[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_api_openapi_json: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                        paths: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Refused, or failed */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
