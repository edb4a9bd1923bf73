/** The process of a real engine: awaited until it answers, ended with the test run, its folder removed. */
import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { until } from '../until.ts';

export interface SearchEngine {
  url: string;
  stop(): Promise<void>;
}

export interface EngineStart {
  url: string;
  /** What the engine calls itself: nobody else on that port does. */
  clusterName: string;
  /** Removed in the end. */
  folder: string;
  authorization?: string;
}

/** One that cannot start ends, which is seen at once; one core with much else to do takes minutes to start it. */
const START_MS = 240_000;

/** Resolves when the engine answers with its own name. */
export async function runEngine(child: ChildProcess, start: EngineStart): Promise<SearchEngine> {
  // SIGTERM, for it reaches the engine through its launcher too.
  const kill = (): void => void child.kill('SIGTERM');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    await ended(child);
    await rm(start.folder, { recursive: true, force: true });
  };
  try {
    await until(`${start.url} answers`, () => isUp(start, child), START_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: start.url, stop };
}

async function isUp({ url, clusterName, authorization }: EngineStart, child: ChildProcess): Promise<boolean> {
  if (hasEnded(child)) throw new Error(`the engine ended: ${child.exitCode ?? child.signalCode}`);
  try {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer: unknown = await (await fetch(`${url}/_cluster/health`, { headers })).json();
    return isObject(answer) && answer.cluster_name === clusterName;
  } catch {
    return false;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

async function ended(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exit;
  clearTimeout(timer);
}

const run = promisify(execFile);

/** Does the machine have this command? */
export async function answers(command: string, options: string[]): Promise<boolean> {
  try {
    await run(command, options);
    return true;
  } catch {
    return false;
  }
}
