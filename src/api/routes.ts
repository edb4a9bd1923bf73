/** Every management route. */
import { API_KEY_ROUTES } from './api-keys.ts';
import { AUDIT_ROUTES } from './audit.ts';
import { BACKFILL_ROUTES } from './backfills.ts';
import { CHANGE_ENTRY_ROUTES } from './change-entries.ts';
import { CHANGE_RETENTION_ROUTES } from './change-retentions.ts';
import { CONFIG_ROUTES } from './config.ts';
import { DATABASE_TEST_ROUTES } from './database-tests.ts';
import { DATABASE_ROUTES } from './databases.ts';
import { DOCTOR_ROUTES } from './doctor.ts';
import { FUNCTION_ROUTES } from './functions.ts';
import { JOB_ROUTES } from './jobs.ts';
import { openApiRoute } from './openapi.ts';
import { OPERATION_ROUTES } from './operations.ts';
import { OVERVIEW_ROUTES } from './overview.ts';
import { PREVIEW_ROUTES } from './preview.ts';
import { REPLAY_ROUTES } from './replays.ts';
import type { Route } from './route.ts';
import { SECRET_ROUTES } from './secrets.ts';
import { SEQUIN_LIST_ROUTES } from './sequin-lists.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { SETTING_ROUTES } from './settings.ts';
import { SETUP_ROUTES } from './setup-sql.ts';
import { SINK_ROUTES } from './sinks.ts';
import { TABLE_ROUTES } from './tables.ts';
import { USER_ROUTES } from './users.ts';
import { WHOAMI_ROUTES } from './whoami.ts';

export const ROUTES: readonly Route[] = [
  ...DATABASE_ROUTES,
  ...DATABASE_TEST_ROUTES,
  ...TABLE_ROUTES,
  ...SETUP_ROUTES,
  ...SINK_ROUTES,
  ...BACKFILL_ROUTES,
  ...CHANGE_RETENTION_ROUTES,
  ...CHANGE_ENTRY_ROUTES,
  ...REPLAY_ROUTES,
  ...PREVIEW_ROUTES,
  ...FUNCTION_ROUTES,
  ...JOB_ROUTES,
  ...OPERATION_ROUTES,
  ...CONFIG_ROUTES,
  ...DOCTOR_ROUTES,
  ...OVERVIEW_ROUTES,
  ...API_KEY_ROUTES,
  ...USER_ROUTES,
  ...SESSION_ROUTES,
  ...SECRET_ROUTES,
  ...AUDIT_ROUTES,
  ...WHOAMI_ROUTES,
  ...SETTING_ROUTES,
  ...SEQUIN_LIST_ROUTES,
  openApiRoute(() => ROUTES),
];
