/** What every list takes. */
import { type Field, wholeNumber } from './command.ts';

export const LIST_FIELDS: readonly Field[] = [
  { flags: '--limit <number>', about: 'how many at most', field: 'limit', read: wholeNumber('--limit') },
  { flags: '--cursor <cursor>', about: 'continue where the previous page ended', field: 'cursor' },
];

/** Of metrics. */
export const PERIOD: readonly Field[] = [
  { flags: '--step <step>', about: 'minute or hour', field: 'step', choices: ['minute', 'hour'] },
  { flags: '--from <time>', about: 'from this time on', field: 'from' },
  { flags: '--to <time>', about: 'before this time', field: 'to' },
];
