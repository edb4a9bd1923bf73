/** Which sinks use a function, and whether it still fits them. */
import type { Queryable } from '../../db/pool.ts';
import type { FunctionType, SinkSettings } from '../../model/declared.ts';
import { type Fault, MillraceError } from '../../model/errors.ts';
import { FITTING, type FunctionRole } from '../declare/references.ts';
import { readCurrent } from './current.ts';
import { kindOf } from './sinks.ts';

const ROLES = Object.keys(FITTING) as FunctionRole[];

export interface FunctionUse {
  /** Of a sink or change retention. */
  sink: string;
  role: FunctionRole;
  settings: SinkSettings;
}

export const usesOf = (sinks: readonly { settings: SinkSettings }[], name: string): FunctionUse[] =>
  sinks.flatMap(({ settings }) =>
    ROLES.filter((role) => settings[role] === name).map((role) => ({ sink: settings.name, role, settings })),
  );

/** Of a function that was changed in this transaction. @throws MillraceError invalid, with the sinks that cannot use it so. */
export async function refuseMisfit(tx: Queryable, name: string): Promise<void> {
  const { functions, sinks } = await readCurrent(tx);
  const found = functions.find((one) => one.name === name)?.settings;
  if (found === undefined) return;
  const faults = usesOf(sinks, name).flatMap((use) => misfit(found, use));
  if (faults.length === 0) return;
  const fields = [...new Set(faults.map(({ field }) => field))];
  throw new MillraceError('invalid', `Not valid: ${fields.join(', ')}`, { faults });
}

/** Why it does not fit where it is used. */
export function misfit(
  { type, sink_type }: { type: FunctionType; sink_type: string | null },
  { sink, role, settings }: FunctionUse,
): Fault[] {
  const remedy = `Take it out of ${sink} first, or make another function.`;
  if (!FITTING[role].includes(type)) {
    const message = `does not fit ${sink}, whose ${role} it is: that takes ${FITTING[role].join(' or ')}`;
    return [{ field: 'type', message, remedy }];
  }
  const [kind] = kindOf(settings).names;
  if (sink_type === null || sink_type === kind) return [];
  return [{ field: 'sink_type', message: `does not fit ${sink}, whose destination is of type ${kind}`, remedy }];
}
