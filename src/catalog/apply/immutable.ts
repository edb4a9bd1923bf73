/** What a thing that is there cannot become by an edit: said by the field, before the rest of it is read. */
import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '../../model/errors.ts';
import { kindNamed } from '../../sinks/kinds.ts';
import { type Entry, isObject } from '../declare/written.ts';
import type { ThingType } from './stored.ts';

/** `before` and `after` as they are written. */
export function immutableFaults(type: ThingType, before: Entry, after: Entry): Fault[] {
  if (type === 'database' || type === 'function') return [];
  const faults: Fault[] = [];
  const refuse = (field: string, message: string, remedy: string): void => {
    faults.push({ field, message, remedy, refusedAs: 'immutable' });
  };
  const another = 'Make another one, and delete this one when its messages are done.';
  const source = type === 'sink' ? 'database' : 'source_database';
  if (typeof after[source] === 'string' && after[source] !== before[source])
    refuse(source, 'cannot be changed: its messages have their place in the order of that database', another);
  const [kind, next] = [kindIn(before), kindIn(after)];
  if (kind !== undefined && next !== undefined && kind !== next)
    refuse('destination.type', `cannot be changed: it is ${kind.title}`, another);
  const wanted = after.initial_backfill;
  if (wanted !== undefined && wanted !== false && !isDeepStrictEqual(wanted, before.initial_backfill)) {
    const remedy = 'POST /api/sinks/{sink}/backfills sends the rows of its tables.';
    refuse('initial_backfill', 'cannot be changed: it starts when the sink is made', remedy);
  }
  return faults;
}

const kindIn = ({ destination }: Entry) => (isObject(destination) ? kindNamed(destination.type) : undefined);
