/**
 * When a process must end. On its own: by SIGINT, SIGTERM or SIGHUP. As a child: when the channel to its parent closes,
 * because the parent said so or died (also by kill -9), or by SIGTERM. A child ignores SIGINT and SIGHUP: a terminal's
 * Ctrl-C reaches the whole group, and the parent, which gets it too, decides the order. Under npm, also when the shell
 * that npm runs us in is gone: npm passes a SIGTERM to that shell alone. And when `bin/millrace`, which ran us as a second
 * process, is gone (kill -9). Told twice, it ends once.
 */
export interface StopSignal {
  signal: AbortSignal;
  /** Ends the process by force if it is still there `graceMs` after it was told to stop: nobody may be left to do it. */
  failsafe(graceMs: number): void;
}

/** What is used of `process`. */
export interface Stoppable {
  readonly channel?: object | undefined;
  readonly connected: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly ppid: number;
  on(event: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'disconnect', listener: () => void): unknown;
  exit(code: number): void;
}

export function stopSignal(target: Stoppable): StopSignal {
  const stop = new AbortController();
  const tell = (): void => stop.abort();
  const nothing = (): void => undefined;
  const isChild = target.channel !== undefined;
  target.on('SIGTERM', tell);
  target.on('SIGINT', isChild ? nothing : tell);
  target.on('SIGHUP', isChild ? nothing : tell);
  if (isChild) {
    target.on('disconnect', tell);
    if (!target.connected) tell();
  }
  const isWatching = target.env.npm_lifecycle_event !== undefined || target.env.MILLRACE_LAUNCHED !== undefined;
  if (!isChild && isWatching) watchParent(target, stop);
  return {
    signal: stop.signal,
    failsafe(graceMs) {
      const arm = (): void => void setTimeout(() => target.exit(1), graceMs).unref();
      if (stop.signal.aborted) arm();
      else stop.signal.addEventListener('abort', arm, { once: true });
    },
  };
}

function watchParent(target: Stoppable, stop: AbortController): void {
  const parent = target.ppid;
  const timer = setInterval(() => {
    if (target.ppid !== parent) stop.abort();
  }, 250);
  timer.unref();
  stop.signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
