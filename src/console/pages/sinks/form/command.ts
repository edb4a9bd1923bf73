/** The request that makes a sink, for whoever keeps it in a script. */
import { curlOf } from '../../../lib/curl.ts';
import type { Plain } from '../../../lib/yaml.ts';
import { isInner, isNothing } from '../../../parts/form/values.ts';
import { bodyOf, SECRETS, type SinkEntry } from './entry.ts';

const VARIABLE = '$SINK_SECRET';

/** A variable of the shell in the place of each secret. */
export function commandOf(entry: SinkEntry): string {
  const shown = { ...entry.destination };
  for (const key of SECRETS) if (!isNothing(shown[key])) shown[key] = hidden(shown[key]);
  const body = bodyOf({ ...entry, destination: shown });
  return curlOf('POST', '/api/sinks', body as Record<string, Plain>).replaceAll(VARIABLE, `'"${VARIABLE}"'`);
}

function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  return isInner(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, VARIABLE])) : VARIABLE;
}
