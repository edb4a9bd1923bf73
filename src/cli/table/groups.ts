/** Every group of commands that are data. */

import { AUDIT, TOKENS, USERS } from './access.ts';
import type { Group } from './command.ts';
import { DATABASES } from './databases.ts';
import { FUNCTIONS } from './functions.ts';
import { MESSAGE, MESSAGES } from './messages.ts';
import { OPERATIONS } from './operations.ts';
import { SERVICE } from './service.ts';
import { RETENTIONS, SINKS } from './sinks.ts';
import { STATUS } from './status.ts';
import { TAIL } from './tail.ts';

/** In the order of `--help`. */
export const GROUPS: readonly Group[] = [
  STATUS,
  DATABASES,
  SINKS,
  RETENTIONS,
  FUNCTIONS,
  MESSAGES,
  MESSAGE,
  TAIL,
  OPERATIONS,
  TOKENS,
  USERS,
  AUDIT,
  SERVICE,
];
