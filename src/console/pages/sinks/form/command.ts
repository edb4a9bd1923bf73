/** The requests that make a sink, for whoever keeps them in a script. */
import { curlOf } from '../../../lib/curl.ts';
import type { Plain } from '../../../lib/yaml.ts';
import { isInner, isNothing } from '../../../parts/form/values.ts';
import { bodyOf, SECRETS, type SinkEntry } from './entry.ts';
import type { functionsOf } from './uses.ts';

const VARIABLE = '$SINK_SECRET';

/** A variable of the shell in the place of each secret. `functions`: those that are made before it. */
export function commandOf(entry: SinkEntry, functions: ReturnType<typeof functionsOf>): string {
  const shown = { ...entry.destination };
  for (const key of SECRETS) if (!isNothing(shown[key])) shown[key] = hidden(shown[key]);
  const named = Object.fromEntries(functions.map(({ use, name }) => [use, name]));
  const body = bodyOf({ ...entry, ...named, destination: shown }) as Record<string, Plain>;
  return [
    ...functions.map(({ use, name, code }) => curlOf('POST', '/api/functions', { name, type: use, code })),
    curlOf('POST', '/api/sinks', body).replaceAll(VARIABLE, `'"${VARIABLE}"'`),
  ].join('\n\n');
}

function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  return isInner(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, VARIABLE])) : VARIABLE;
}
