/**
 * A long-lived thing is a Service. The supervisor runs services side by side; one that fails, or returns without having
 * been told to, is run again after a back-off, and touches no other. On stop they end one after the other, the last
 * started first, so that a service may rely on those before it until its own end. One that does not end in its share of
 * the time is left behind, so that it cannot take the time of the others.
 */
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Log } from './log.ts';

export interface Service {
  readonly name: string;
  /** Works until the signal; may be called again after it failed. */
  run(signal: AbortSignal): Promise<void>;
  /** Frees what it holds. Called once, after the last `run` has ended; safe to call twice, and without any `run`. */
  close(): Promise<void>;
}

export interface ServiceState {
  name: string;
  state: 'running' | 'waiting' | 'stopped';
  restarts: number;
}

export interface Supervisor {
  /** Runs until the signal, then stops everything. Rejects never: failures are logged, and restarted. */
  run(signal: AbortSignal): Promise<void>;
  /** Stops everything; safe to call twice. */
  close(): Promise<void>;
  state(): ServiceState[];
}

export interface SuperviseDependencies {
  log: Log;
  /** Milliseconds before the next try, after `attempt` failures in a row. */
  backoff: (attempt: number) => number;
  now?: () => number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface SuperviseOptions {
  /** A run that lasted as long as this starts the back-off anew; 60,000. */
  steadyMs?: number;
  /** For all services together to end; each may take half of what is left. 6,000. */
  graceMs?: number;
}

interface Member {
  service: Service;
  status: ServiceState;
  abort: AbortController;
  ended: Promise<void>;
}

export function supervise(
  services: readonly Service[],
  deps: SuperviseDependencies,
  options: SuperviseOptions = {},
): Supervisor {
  const members: Member[] = [];
  let stopping: Promise<void> | undefined;
  let started = false;
  const finished = Promise.withResolvers<void>();

  const close = (): Promise<void> => {
    stopping ??= stopAll(started ? members : services.map(idle), deps, options.graceMs ?? 6_000).then(finished.resolve);
    return stopping;
  };

  return {
    async run(signal) {
      if (started || stopping) return await finished.promise;
      started = true;
      for (const service of services) members.push(start(service, deps, options.steadyMs ?? 60_000));
      if (signal.aborted) void close();
      else signal.addEventListener('abort', () => void close(), { once: true });
      await finished.promise;
    },
    close,
    state: () => members.map(({ status }) => ({ ...status })),
  };
}

function idle(service: Service): Member {
  const status: ServiceState = { name: service.name, state: 'stopped', restarts: 0 };
  return { service, status, abort: new AbortController(), ended: Promise.resolve() };
}

function start(service: Service, deps: SuperviseDependencies, steadyMs: number): Member {
  const member = idle(service);
  member.ended = keepRunning(member, deps, steadyMs);
  return member;
}

async function keepRunning(member: Member, deps: SuperviseDependencies, steadyMs: number): Promise<void> {
  const { service, status } = member;
  const { signal } = member.abort;
  const now = deps.now ?? (() => performance.now());
  const sleep = deps.sleep ?? (async (ms, until) => await sleepFor(ms, undefined, { signal: until }));
  let failures = 0;
  while (!signal.aborted) {
    const begunAt = now();
    status.state = 'running';
    let failure: unknown;
    try {
      await service.run(signal);
    } catch (error) {
      failure = error;
    }
    if (signal.aborted) {
      if (failure !== undefined) deps.log.debug({ service: service.name, err: failure }, 'ended with an error on stop');
      break;
    }
    failures = now() - begunAt >= steadyMs ? 1 : failures + 1;
    const waitMs = deps.backoff(failures);
    const details = { service: service.name, failures, wait_ms: waitMs };
    if (failure === undefined) deps.log.warn(details, 'service ended by itself; it will be run again');
    else deps.log.error({ ...details, err: failure }, 'service failed; it will be run again');
    status.state = 'waiting';
    status.restarts += 1;
    await sleep(waitMs, signal).catch(() => undefined);
  }
  status.state = 'stopped';
}

async function stopAll(members: readonly Member[], deps: SuperviseDependencies, graceMs: number): Promise<void> {
  const end = performance.now() + graceMs;
  for (const member of members.toReversed()) {
    member.abort.abort();
    const share = Math.max((end - performance.now()) / 2, 0);
    const ended = member.ended
      .then(() => member.service.close())
      .catch((error: unknown) => deps.log.warn({ service: member.service.name, err: error }, 'service did not close'));
    if (!(await endsWithin(ended, share))) {
      deps.log.warn({ service: member.service.name }, 'service did not end in time');
    }
  }
}

async function endsWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleepFor(ms, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([ended.then(() => true), late]);
  timer.abort();
  return inTime;
}
