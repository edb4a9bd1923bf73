/** What making or changing a sink would do: its faults, what differs, and its entry as the file has it. Nothing is written. */
import type { ApplyDeps } from '../catalog/apply/apply.ts';
import { planThing } from '../catalog/apply/change-thing.ts';
import { sinkKeys } from '../catalog/declare/requested-sink.ts';
import { sinkYaml } from '../catalog/declare/sink-yaml.ts';
import type { Entry } from '../catalog/declare/written.ts';
import { deniedWarnings } from './denied-addresses.ts';
import { TYPES } from './edit-sink.ts';
import { findSink, type SinkList } from './find-sink.ts';

/** Stands for each of its secrets. */
const VARIABLE = 'SINK_SECRET';

export interface PlannedSink {
  /** Of one that is there; secrets masked. */
  diff: { path: string; old: unknown; new: unknown }[];
  /** As it would be: the entry of a millrace.yaml, a variable for each secret. */
  yaml: string;
  /** Sentences. */
  warnings: string[];
}

/** `ref` absent: it is made. @throws MillraceError as making and changing it do, but for a sink of the file, which is planned too. */
export async function planSink(
  deps: ApplyDeps,
  { list, ref, body }: { list: SinkList; ref?: string; body: Entry },
): Promise<PlannedSink> {
  const id = ref === undefined ? undefined : (await findSink(deps.db, ref, list)).id;
  const { declared, change, warnings, servers } = await planThing(deps, {
    ...{ type: TYPES[list], ref: id, body: sinkKeys(body), ifMatch: null },
  });
  const { settings, secret } = declared.sinks[0]!;
  return {
    diff: change?.diff ?? [],
    yaml: sinkYaml(settings, secret, VARIABLE),
    warnings: [...warnings, ...(await deniedWarnings(deps.reach, servers))],
  };
}
