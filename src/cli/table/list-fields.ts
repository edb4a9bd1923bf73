/** What every list takes. */
import { type Field, wholeNumber } from './command.ts';

export const LIST_FIELDS: readonly Field[] = [
  { flags: '--limit <number>', about: 'at most so many', field: 'limit', read: wholeNumber('--limit') },
  { flags: '--cursor <cursor>', about: 'from where the page before ended', field: 'cursor' },
];

/** Of metrics. */
export const PERIOD: readonly Field[] = [
  { flags: '--step <step>', about: 'minute or hour', field: 'step', choices: ['minute', 'hour'] },
  { flags: '--from <time>', about: 'from this time on', field: 'from' },
  { flags: '--to <time>', about: 'before this time', field: 'to' },
];
