/**
 * The credential of a destination whose declaration has the mask in some of its keys: there, what is stored stays. Another
 * server is never told what was given for the one before.
 */
import type { Destination } from '../../model/declared.ts';
import type { Fault } from '../../model/errors.ts';
import { MASK } from '../../model/masked.ts';
import { kindNamed } from '../../sinks/kinds.ts';
import { sectionOf } from '../declare/destination.ts';
import { isObject, secretKeys } from '../declare/written.ts';

interface WithSecret<Secret> {
  name: string;
  destination: Destination;
  secret: Secret;
}

/** `stored`: what there is of that name; its secret is undefined when it does not open. */
export function keptSecret(
  wanted: WithSecret<string | null>,
  stored: WithSecret<string | null | undefined> | undefined,
): { secret: string | null } | { faults: Fault[] } {
  const { destination, secret, name } = wanted;
  const kind = kindNamed(destination.type)!;
  const { secrets } = sectionOf(kind);
  if (secret === null || secrets === undefined || !secret.includes(MASK)) return { secret };
  const isThere = stored?.secret != null && kindNamed(stored.destination.type) === kind;
  const isSame = isThere && kind.server?.(stored.destination) === kind.server?.(destination);
  const before = isSame ? secretKeys(stored.destination, stored.secret ?? null) : {};
  const missing: string[] = [];
  const kept = fill(secretKeys(destination, secret), before, { path: `${name}.destination`, missing });
  if (missing.length === 0) return { secret: secrets.close(kept as object) };
  const message =
    isThere && !isSame
      ? `is ${MASK}, which keeps the stored secret, and that was given for another server`
      : `is ${MASK}, and no secret is stored that it could keep`;
  const refusedAs = isThere && !isSame ? { refusedAs: 'secret_required' as const } : {};
  return { faults: missing.map((field) => ({ field, message, remedy: 'Write the secret.', ...refusedAs })) };
}

function fill(value: unknown, before: unknown, { path, missing }: { path: string; missing: string[] }): unknown {
  if (value === MASK) {
    if (typeof before === 'string') return before;
    missing.push(path);
  }
  if (Array.isArray(value)) {
    const known = Array.isArray(before) ? before : [];
    return value.map((one, at) => fill(one, known[at], { path: `${path}[${at}]`, missing }));
  }
  if (!isObject(value)) return value;
  const known = isObject(before) ? before : {};
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, fill(one, known[key], { path: `${path}.${key}`, missing })]),
  );
}
