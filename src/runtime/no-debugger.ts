/**
 * By default SIGUSR1 opens Node's debugger, and whoever can connect to it reads SECRET_KEY: any process of our account could,
 * the one that runs users' functions included. `bin/millrace` starts Node with `--disable-sigusr1`; a listener takes the
 * default's place in processes that were started by hand, before they start others.
 */
export function withoutDebugger(): void {
  process.on('SIGUSR1', () => undefined);
}
