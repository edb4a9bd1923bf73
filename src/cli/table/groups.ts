/** Every group of commands that are data. */

import { AUDIT, TOKENS, USERS } from './access.ts';
import { BACKFILLS } from './backfills.ts';
import { CHANGE_TABLE } from './change-table.ts';
import type { Group } from './command.ts';
import { CONFIG } from './config.ts';
import { DATABASES } from './databases.ts';
import { DOCTOR } from './doctor.ts';
import { FUNCTIONS } from './functions.ts';
import { JOBS } from './jobs.ts';
import { MESSAGE, MESSAGES } from './messages.ts';
import { OPERATIONS } from './operations.ts';
import { SECRETS, SERVICE } from './service.ts';
import { SESSIONS } from './sessions.ts';
import { RETENTIONS, SINKS } from './sinks.ts';
import { STATUS } from './status.ts';
import { TAIL } from './tail.ts';
import { RELEASE } from './things.ts';

/** In the order of `--help`. */
export const GROUPS: readonly Group[] = [
  ...[STATUS, DOCTOR, CONFIG, RELEASE],
  ...[DATABASES, SINKS, RETENTIONS, FUNCTIONS],
  ...[MESSAGES, MESSAGE, TAIL],
  ...[JOBS, BACKFILLS, OPERATIONS],
  ...[TOKENS, USERS, SESSIONS, AUDIT, SECRETS],
  ...[SERVICE, CHANGE_TABLE],
];
