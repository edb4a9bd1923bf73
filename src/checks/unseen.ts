/** Commits that nobody sees: they are in the WAL, and so in the stream, and wait for a synchronous standby. */
import { type Finding, fault, inSource, warning } from './finding.ts';

/** As the statement gives it: a backend whose commit waits. */
export interface UnseenCommit {
  /** Null: of a transaction that was prepared, and belongs to no backend. */
  pid: number | null;
  /** Of its statement: the same at the next look, and it is the same commit. */
  since: string;
  /** synchronous_standby_names */
  standbys: string;
}

/** `isAwaited`: capture says that it waits for one. A commit that another look did not find any more is none. */
export function checkUnseen(
  first: readonly UnseenCommit[],
  again: readonly UnseenCommit[],
  isAwaited: boolean,
): Finding[] {
  const stayed = first.filter(({ pid, since }) => again.some((one) => one.pid === pid && one.since === since));
  if (stayed.length === 0) return [];
  const pids = [...new Set(stayed.flatMap(({ pid }) => pid ?? []))];
  const [who, their, wait] = pids.length > 1 ? ['backends', 'their', 'wait'] : ['backend', 'its', 'waits'];
  // Whoever commits one that was prepared is a backend that waits, where our role is shown it.
  const waiting = pids.length === 0 ? 'a prepared transaction' : `${who} ${pids.join(', ')}`;
  const { standbys } = stayed[0]!;
  const until = standbys === '' ? '' : ` (synchronous_standby_names is ${standbys})`;
  const summary = `${waiting} ${wait} for a synchronous standby${until}: nobody sees ${their} commit yet`;
  const say = isAwaited ? fault : warning;
  return [
    say(
      'commit_unseen',
      isAwaited ? `${summary}, and capture waits for it` : summary,
      inSource(
        "alter system set synchronous_standby_names = ''; select pg_reload_conf()",
        'better: bring the standby back; without it this statement lets commits go without a copy',
      ),
    ),
  ];
}
