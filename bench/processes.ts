/**
 * CPU time and memory of processes, from /proc: nothing is asked of the processes themselves. Where there is no /proc the
 * figures are undefined, and the table says so with a dash.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface Process {
  pid: number;
  parent: number;
  /** Seconds, its own and of its children that have ended. */
  cpu: number;
  endedChildrenCpu: number;
}

const TICKS = ticksPerSecond();

function ticksPerSecond(): number {
  try {
    return Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || 100;
  } catch {
    return 100;
  }
}

function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return {
      pid,
      parent: fields[1]!,
      cpu: (fields[11]! + fields[12]!) / TICKS,
      endedChildrenCpu: (fields[13]! + fields[14]!) / TICKS,
    };
  } catch {
    return undefined;
  }
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

function rssOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096;
  } catch {
    return 0;
  }
}

/** The processes of these pids with all their descendants. Empty without /proc. */
function family(roots: readonly number[]): Process[] {
  let pids: number[];
  try {
    pids = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
  const all = pids.map(readProcess).filter((one) => one !== undefined);
  const known = new Set(roots);
  let size = 0;
  while (known.size > size) {
    size = known.size;
    for (const one of all) if (known.has(one.parent)) known.add(one.pid);
  }
  return all.filter((one) => known.has(one.pid));
}

/** Seconds of CPU used so far by these processes, their children and those that have ended. */
export function cpuOf(roots: readonly number[]): number | undefined {
  const members = family(roots);
  if (members.length === 0) return undefined;
  return members.reduce((sum, one) => sum + one.cpu + one.endedChildrenCpu, 0);
}

/** The same of a Postgres server, its walsenders apart. */
export function serverCpu(postmaster: number): { walsenders: number; others: number } | undefined {
  const members = family([postmaster]);
  if (members.length === 0) return undefined;
  const sum = { walsenders: 0, others: 0 };
  for (const one of members)
    sum[/walsender/.test(titleOf(one.pid)) ? 'walsenders' : 'others'] += one.cpu + one.endedChildrenCpu;
  return sum;
}

const RESIDENT_MS = 100;
/** Whoever looks at all processes uses the cores that are measured. */
const FAMILY_MS = 2_000;

/** The largest sum of resident memory seen between `start` and `stop`. */
export function watchMemory(roots: readonly number[]): { stop(): number | undefined } {
  let peak = 0;
  let members: readonly Process[] = [];
  const find = (): void => {
    members = family(roots);
  };
  const look = (): void => {
    peak = Math.max(
      peak,
      members.reduce((sum, { pid }) => sum + rssOf(pid), 0),
    );
  };
  find();
  look();
  const timers = [setInterval(find, FAMILY_MS), setInterval(look, RESIDENT_MS)];
  return {
    stop() {
      timers.forEach(clearInterval);
      look();
      return peak === 0 ? undefined : peak;
    },
  };
}
