/** What a process has used. */
import { readFile } from 'node:fs/promises';

/** Microseconds that a process has had a CPU; Linux alone tells it to the microsecond. */
export async function cpuOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error('what a write costs is measured on Linux alone');
  return Number(text.split(' ')[0]) / 1_000;
}
