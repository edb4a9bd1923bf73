/** Every group of commands that are data. */
import type { Group } from './command.ts';
import { DATABASES } from './databases.ts';
import { MESSAGE, MESSAGES } from './messages.ts';
import { OPERATIONS } from './operations.ts';
import { SERVICE } from './service.ts';
import { RETENTIONS, SINKS } from './sinks.ts';

/** In the order of `--help`. */
export const GROUPS: readonly Group[] = [DATABASES, SINKS, RETENTIONS, MESSAGES, MESSAGE, OPERATIONS, SERVICE];
