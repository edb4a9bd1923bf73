/**
 * A sink as an entry of millrace.yaml, without what is default anyhow. Applied, it changes nothing. Its credential is
 * never written: a variable stands in its place.
 */
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { SinkSettings, TableBackfill } from '../../model/declared.ts';
import { kindNamed } from '../../sinks/kinds.ts';
import { sectionOf } from './destination.ts';
import { DeclaredSink } from './sink.ts';

/** `hasSecret`: a credential is stored. Not for change tables, which are declared elsewhere. */
export function sinkYaml(settings: SinkSettings, hasSecret: boolean): string {
  const { name, database, destination } = settings;
  const { secretKey, least: leastOf } = sectionOf(kindNamed(destination.type)!);
  const least = { type: destination.type, ...leastOf?.(destination) };
  const plain = DeclaredSink.parse({ name, database, destination: least }).settings;
  const entry = {
    ...{ name, database },
    ...differing(settings, plain, ['name', 'database', 'destination', 'initial_backfill']),
    ...(settings.initial_backfill === undefined ? {} : { initial_backfill: backfillOf(settings.initial_backfill) }),
    destination: {
      ...least,
      ...differing(destination, plain.destination, ['type']),
      ...(hasSecret && secretKey ? { [secretKey]: `\${${CREDENTIAL}}` } : {}),
    },
  };
  return stringify({ sinks: [cleaned(entry)] }, { lineWidth: 0 });
}

/** The variable of the environment that stands for a credential. */
export const CREDENTIAL = 'SEARCH_CREDENTIAL';

const backfillOf = (wanted: true | TableBackfill[]): unknown =>
  wanted === true
    ? true
    : wanted.map((entry) => (entry.sort_column === null ? { table: entry.table } : { type: 'partial', ...entry }));

function differing(given: object, plain: object, named: readonly string[]): object {
  const before = new Map(Object.entries(plain));
  return Object.fromEntries(
    Object.entries(given).filter(
      ([key, value]) => !named.includes(key) && !isDeepStrictEqual(before.get(key) ?? null, value),
    ),
  );
}

/** Without conditions that there are none of; `\${` as text. */
function cleaned(value: unknown): unknown {
  if (typeof value === 'string' && value !== `\${${CREDENTIAL}}`) return value.replaceAll(/\$(?=\{\w)/g, '$$$$');
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, cleaned(inner)]])),
  );
}
