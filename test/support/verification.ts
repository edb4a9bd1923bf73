/** `millrace verify` as the command runs it, in this process: its exit code and what it prints. */

import { runVerify, type VerifyRequest } from '../../src/cli/verify.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { readSettings, withDatabase } from '../../src/runtime/settings.ts';
import { NEVER } from './search-sink.ts';
import { SECRET_KEY } from './service.ts';

export interface Ran {
  code: number;
  out: string;
  /** Progress. */
  err: string;
}

export type RunVerify = (sink: string, request?: Partial<VerifyRequest>) => Promise<Ran>;

/** `refreshMs`: that of the engine, and a little more. */
export function verification(databaseUrl: string, refreshMs: number): RunVerify {
  const settings = withDatabase(readSettings({ DATABASE_URL: databaseUrl, SECRET_KEY }));
  return async (sink, request = {}) => {
    const texts = { out: '', err: '' };
    const to = (name: 'out' | 'err') => ({
      write: (text: string) => {
        texts[name] += text;
      },
    });
    const options = { refreshMs, patienceMs: 10_000, ...request.options };
    const code = await runVerify(
      settings,
      { sink, repair: false, show: 20, ...request, options },
      { terminals: { out: to('out'), err: to('err') }, signal: NEVER },
    );
    return { code, ...texts };
  };
}

/** What it says when it cannot be done. */
export async function refusal(work: Promise<unknown>): Promise<MillraceError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof MillraceError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}
