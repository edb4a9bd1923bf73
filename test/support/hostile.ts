/** Names of tables, schemas and publications that Postgres takes, and that break whatever does not quote them. */
import fc from 'fast-check';

const PIECES = [
  ...['"', "'", '`', '$', '$(id)', '`id`', '(', ')', ' ', '\n', '\r', '\t', '\\', ';', '--', '/*', '*/', '-', '.', '#'],
  ...[
    '&',
    '|',
    '<',
    '>',
    '*',
    '?',
    '!',
    '~',
    '=',
    '%',
    '%s',
    '{',
    '}',
    '$$',
    '$1',
    ':x',
    'a',
    'A',
    'select',
    'é',
    '漢',
    '😀',
  ],
];

/** At most 63 bytes, as Postgres has it. */
export const hostileName: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 })
  .map((pieces) => pieces.join(''))
  .filter((name) => Buffer.byteLength(name) <= 60);
