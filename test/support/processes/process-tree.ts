/** The processes of this machine: those below one of ours, and the end of them. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from '../until.ts';

const run = promisify(execFile);

export interface RunningProcess {
  pid: number;
  ppid: number;
  /** Resident memory, in megabytes. */
  rssMb: number;
  /** By SIGSTOP. */
  stopped: boolean;
  args: string;
}

async function everyProcess(): Promise<RunningProcess[]> {
  const { stdout } = await run('ps', ['-eo', 'pid=,ppid=,rss=,stat=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, ppid, rss, state, args] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (args === undefined || state?.startsWith('Z')) return [];
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        rssMb: Math.round(Number(rss) / 1_024),
        stopped: state!.startsWith('T'),
        args,
      },
    ];
  });
}

/** A process and all that hang on it, parents first. */
export async function treeOf(root: number): Promise<RunningProcess[]> {
  const all = await everyProcess();
  const found = all.filter(({ pid }) => pid === root);
  for (const parent of found) found.push(...all.filter(({ ppid }) => ppid === parent.pid));
  return found;
}

export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in between.
  }
}

export async function untilGone(pids: readonly number[]): Promise<void> {
  if (pids.length === 0) return;
  const left = async (): Promise<boolean> => (await everyProcess()).every(({ pid }) => !pids.includes(pid));
  await until('no process is left', left, 20_000);
}
