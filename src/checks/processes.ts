/** Do the processes run that do the work? By the signs of life that they leave in the message database. */
import { byHand, byStarting, type Finding, fault, passed, warning } from './finding.ts';

export interface ProcessFacts {
  /** Databases that a sink reads from, and that no capture has reported on for 15 s. */
  uncaptured: readonly string[];
  /** A worker has reported in the last 15 s. */
  hasWorker: boolean;
  /** Some sink is delivered to, or shaped for, by workers. */
  needsWorker: boolean;
  /** Clients receive over HTTP. */
  needsWeb: boolean;
  /** Seen within the last half minute. */
  processes: readonly ProcessFact[];
  /** Of the SECRET_KEY that whoever asks has; absent: it has none. */
  ownKeyId?: string | undefined;
}

export interface ProcessFact {
  role: string;
  host: string;
  version: string;
  /** Of SECRET_KEY. */
  keyId: string;
}

export function checkProcesses(facts: ProcessFacts): Finding[] {
  const { uncaptured, hasWorker, needsWorker, needsWeb, processes, ownKeyId } = facts;
  const found: Finding[] = [];
  if (uncaptured.length > 0)
    found.push(
      fault(
        'no_capture',
        `no capture process has reported for 15 s on ${uncaptured.join(', ')}`,
        byStarting('capture'),
      ),
    );
  if (needsWorker && !hasWorker)
    found.push(fault('no_worker', 'no worker has reported for 15 s: nothing is delivered', byStarting('worker')));
  if (needsWeb && !processes.some(({ role }) => role === 'web'))
    found.push(
      warning(
        'no_web',
        'no web process has reported for 30 s: clients of pull consumers receive nothing over HTTP',
        byStarting('web'),
      ),
    );
  const versions = namedBy(processes, ({ version }) => version);
  if (versions.size > 1)
    found.push(
      warning(
        'versions_differ',
        `processes of different releases run: ${listed(versions)}`,
        byHand('Restart those of the older release with the newer one.'),
      ),
    );
  const self = ownKeyId === undefined || processes.length === 0 ? [] : [{ ...OURSELVES, keyId: ownKeyId }];
  const keys = namedBy([...processes, ...self], ({ keyId }) => `key ${keyId}`);
  if (keys.size > 1)
    found.push(
      warning(
        'key_differs',
        `processes seal with different keys: ${listed(keys)}`,
        byHand('Give all of them the same SECRET_KEY, and the former one as SECRET_KEY_PREVIOUS, and restart them.'),
      ),
    );
  const roles = [...new Set(processes.map(({ role }) => role))].sort();
  const report =
    roles.length === 0
      ? 'none is running, and nothing that is declared needs one'
      : `these report: ${roles.join(', ')}`;
  return found.length > 0 ? found : [passed('processes', report)];
}

const OURSELVES = { role: 'the doctor', host: 'this machine', version: '' };

/** Roles and hosts of the processes, by what they have in common. */
const namedBy = (processes: readonly ProcessFact[], key: (one: ProcessFact) => string): Map<string, ProcessFact[]> =>
  Map.groupBy(processes, key);

const listed = (groups: ReadonlyMap<string, readonly ProcessFact[]>): string =>
  [...groups]
    .map(([what, those]) => `${what} (${those.map(({ role, host }) => `${role} on ${host}`).join(', ')})`)
    .join('; ');
