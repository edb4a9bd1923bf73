// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test
/**
 * Texts from outside that cost a careless reader the square of their length, or worse: each with the reader that meets it.
 * Nothing here may throw anything but a MillraceError, nor take longer for a kilobyte of a long text than of a short one.
 */

import { parseConfiguration } from '../src/catalog/declare/file.ts';
import { isComplete } from '../src/cli/sql-table.ts';
import { typeInfo } from '../src/codec/types.ts';
import { parseDecimal } from '../src/model/decimal.ts';
import { MillraceError } from '../src/model/errors.ts';
import { parseInstant } from '../src/model/instant.ts';
import { canonicalJson } from '../src/model/json-text.ts';
import { parseJson } from '../src/model/long-number.ts';
import { comparisonOf } from '../src/routing/comparison.ts';
import { textAtPath } from '../src/routing/json-path.ts';
import { maskAddresses } from '../src/runtime/redact.ts';
import { readSettings } from '../src/runtime/settings.ts';
import { openSearchClient } from '../src/sinks/search-index/client.ts';

export interface HostileText {
  what: string;
  /** About so many characters. */
  text: (length: number) => string;
  read: (text: string) => unknown;
}

const filled = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length));

function counted(part: (n: number) => string, length: number): string {
  const parts: string[] = [];
  for (let size = 0, n = 0; size < length; n += 1) size += parts[parts.push(part(n)) - 1]!.length;
  return parts.join('');
}

/** Faults are what is expected. */
function faulty(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
  }
}

const yaml = (text: string): void => faulty(() => parseConfiguration({ env: { A: 'x' } }, text));
const DATABASE = '- { name: d, hostname: h, database: d, slot: { name: s }, publication: { name: p } }';

const CONFIGURATIONS: [string, (length: number) => string][] = [
  ['a reference that never ends', (n) => `a: ${filled('${a:-', n)}`],
  ['references within references', (n) => `a: "${filled('${A:-${A', n / 2)}${filled('}', n / 2)}"`],
  ['references', (n) => `a: "${filled('${A}', n)}"`],
  ['what is hidden within Millrace', (n) => `a: "${filled('\ue024\ue07b', n)}"`],
  ['anchors and aliases', (n) => counted((i) => `- &a${i} x\n- *a${i}\n`, n)],
  ['one anchor, many aliases', (n) => `x-a: &a { b: 1 }\nsinks: [${filled('*a,', n)}]`],
  ['aliases that lead nowhere', (n) => `sinks: [${filled('*a,', n)}]`],
  [
    'aliases of aliases',
    (n) => `a0: &a0 [x, x]\n${counted((i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`, n)}sinks: *a9`,
  ],
  ['merges', (n) => `x: &x { name: n }\nsinks:\n${counted(() => '- { <<: *x }\n', n)}`],
  ['unknown keys', (n) => counted((i) => `k${i}: 1\n`, n)],
  ['the same key', (n) => filled('sinks: []\n', n)],
  ['a long list', (n) => `sinks: [${filled('a,', n)}]`],
  ['entries without anything', (n) => `sinks:\n${filled('- {}\n', n)}`],
  ['names that are not declared', (n) => `sinks:\n${counted((i) => `- { database: name${i} }\n`, n)}`],
  [
    'names that are almost declared',
    (n) =>
      `databases:\n${counted((i) => `- { name: name${i} }\n`, n / 2)}sinks:\n${counted((i) => `- { database: nane${i} }\n`, n / 2)}`,
  ],
  [
    'functions, and scopes that name no sink',
    (n) =>
      `api_tokens:\n${counted((i) => `- { name: t${i}, token: "${i}klmnopqrstuvwxyz", scopes: ["consume:s${i}"] }\n`, n)}`,
  ],
  [
    'change retentions one behind the other',
    (n) =>
      `databases:\n${DATABASE}\nchange_retentions:\n${counted(
        (i) =>
          `- { name: r${i}, source_database: d, source_table_name: t${i}, destination_database: d, destination_table_name: t${i + 1} }\n`,
        n,
      )}`,
  ],
  [
    'tables in two lists',
    (n) =>
      `sinks:\n- source:\n    include_tables: [${counted((i) => `t${i},`, n / 2)}]\n    exclude_tables: [${counted((i) => `t${i},`, n / 2)}]`,
  ],
  ['brackets', (n) => filled('[', n)],
  ['braces', (n) => filled('{a: ', n)],
  ['commas', (n) => `sinks: [${filled(',', n)}]`],
  ['quotes that never end', (n) => filled('"a: \n', n)],
  ['escapes that are none', (n) => `a: "${filled('\\q', n)}"`],
];

const PADDED = comparisonOf(typeInfo(new Map(), 1042));
const ADDRESS = 'postgres://u:p@h/d';
const settings = (env: NodeJS.ProcessEnv) => (): void => faulty(() => readSettings(env));
const setting = (name: string) => (text: string) => settings({ DATABASE_URL: ADDRESS, [name]: text })();

const TEXTS: HostileText[] = [
  { what: 'addresses: letters', text: (n) => filled('a', n), read: maskAddresses },
  { what: 'addresses: schemes', text: (n) => filled('a://', n), read: maskAddresses },
  { what: 'addresses: users', text: (n) => filled('a://b:c', n), read: maskAddresses },
  { what: 'addresses: at signs', text: (n) => `a://${filled('@b:', n)}/`, read: maskAddresses },
  { what: 'CONFIG_FILE_YAML: white space', text: (n) => `${filled(' ', n)}!`, read: setting('CONFIG_FILE_YAML') },
  { what: 'SECRET_KEY: one letter', text: (n) => filled('a', n), read: setting('SECRET_KEY') },
  { what: 'HOST: points', text: (n) => `${filled('.', n)}!`, read: setting('HOST') },
  { what: 'a number of zeros in json', text: (n) => `[1${filled('0', n)}1]`, read: canonicalJson },
  { what: 'json, nested keys', text: (n) => `{${filled('"a":{},', n)}"b":1}`, read: (text) => textAtPath(text, ['b']) },
  { what: 'a padded text', text: (n) => `${filled(' ', n)}x`, read: (text) => PADDED?.read(text) },
  { what: 'numbers that no double holds', text: (n) => `[${filled('1e400,', n)}1]`, read: parseJson },
  { what: 'a decimal of zeros', text: (n) => `1${filled('0', n)}x`, read: parseDecimal },
  { what: 'an instant and spaces', text: (n) => `2026-01-01${filled(' ', n)}x`, read: parseInstant },
  {
    what: 'an endpoint of slashes',
    text: (n) => `http://h/${filled('/', n)}x`,
    read: (text) =>
      void openSearchClient({
        destination: {
          type: 'elasticsearch',
          endpoint_url: text,
          index_name: 'i',
          auth_type: 'none',
          batch_size: 1,
          batch_bytes: 1,
          compression: 'none',
          versioning: 'none',
          tls: { ca: null, verify: true },
        },
        authValue: null,
      }).close(),
  },
  { what: 'SQL: comments that never end', text: (n) => filled('/*', n), read: isComplete },
  { what: 'SQL: quotes', text: (n) => filled("'", n + 1), read: isComplete },
  { what: 'SQL: dollars', text: (n) => filled('$a', n), read: isComplete },
];

export const HOSTILE: HostileText[] = [
  ...CONFIGURATIONS.map(([what, text]) => ({ what: `millrace.yaml: ${what}`, text, read: yaml })),
  ...TEXTS,
];
