/** Somebody who edits what is declared, at random and without a pause, over HTTP: sinks, a function, tokens, the file. */
import { expect } from 'chai';
import { TOKEN } from '../processes/world.ts';
import type { Random } from './ledger.ts';

/** A sink that gets every row from this one on, at the latest. */
export interface MadeSink {
  name: string;
  /** The last row that may have been committed when it was there. */
  after: number;
}

export interface Editing {
  /** One change, of any kind. */
  change(): Promise<void>;
  /** Pull consumers that were made, and are still there. */
  made: MadeSink[];
  /** Changes that were done, by their kind. */
  done: Map<string, number>;
  /** How many that are. */
  changes(): number;
  /** What is paused and disabled is so no more. */
  finish(): Promise<void>;
}

export interface EditingOptions {
  /** Of the web role. */
  url: string;
  random: Random;
  /** The last row that may have been committed. */
  sent: () => number;
  /** Looks whether a sink that is about to go has what it should. */
  check: (sink: MadeSink) => Promise<void>;
  /** Looks that a disabled sink has got nothing new: called when it is disabled, and before it is active again. */
  frozen: (at: 'disabled' | 'active') => Promise<void>;
}

/** Of a busy machine: the locks of the catalog could not be had. */
const TRIES = 5;

export function openEditing({ url, random, sent, check, frozen }: EditingOptions): Editing {
  const made: MadeSink[] = [];
  const done = new Map<string, number>();
  const some = (count: number): number => Math.floor(random() * count);
  let count = 0;
  let isPaused = false;
  let isDisabled = false;
  let edited = 'edited';
  let token: string | undefined;
  const ask = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status === 503 && tries < TRIES) continue;
      expect(response.status, `${method} ${path}: ${text}`).to.be.within(200, 202);
      return JSON.parse(text);
    }
  };
  const status = async (disabled: boolean): Promise<void> => {
    if (!disabled) await frozen('active');
    await ask('PATCH', '/sinks/switched', { status: disabled ? 'disabled' : 'active' });
    if (disabled) await frozen('disabled');
    isDisabled = disabled;
  };
  const kinds: Record<string, () => Promise<unknown>> = {
    async create() {
      const name = `made-${++count}`;
      await ask('POST', '/sinks', { name, database: 'shop', destination: { type: 'pull' } });
      made.push({ name, after: sent() });
    },
    async remove() {
      const sink = made.length > 3 ? made.splice(some(made.length), 1)[0] : undefined;
      if (sink === undefined) return;
      await check(sink);
      await ask('DELETE', `/sinks/${sink.name}?force=true`);
    },
    edit: () => ask('PATCH', `/sinks/${edited}`, { destination: { max_waiting: 50 + some(100) } }),
    filter: () =>
      ask('PATCH', `/sinks/${edited}`, {
        source: { include_tables: random() < 0.5 ? ['public.items'] : ['public.items', 'public.others'] },
      }),
    async rename() {
      const next = `edited-${++count}`;
      await ask('PATCH', `/sinks/${edited}`, { name: next });
      edited = next;
    },
    async pause() {
      await ask('POST', `/sinks/held/${isPaused ? 'resume' : 'pause'}`);
      isPaused = !isPaused;
    },
    disable: () => status(!isDisabled),
    function: () => ask('PATCH', '/functions/shape', { code: `(action, record) => ({ n: record.n, by: ${++count} })` }),
    async token() {
      if (token === undefined) {
        const { id } = await ask('POST', '/api_keys', { name: `key-${++count}`, scopes: ['read'] });
        token = String(id);
      } else {
        await ask('DELETE', `/api_keys/${token}`);
        token = undefined;
      }
    },
    apply: () =>
      ask('POST', '/config/apply', {
        yaml: `functions: [{ name: of-the-file, type: transform, code: "(action, record) => ${++count}" }]`,
      }),
  };
  return {
    made,
    done,
    changes: () => [...done.values()].reduce((sum, one) => sum + one, 0),
    async change() {
      const names = Object.keys(kinds);
      const kind = names[some(names.length)]!;
      await kinds[kind]!();
      done.set(kind, (done.get(kind) ?? 0) + 1);
    },
    async finish() {
      if (isPaused) await kinds.pause!();
      if (isDisabled) await status(false);
    },
  };
}
