/** A parent to be killed: starts a sandbox process, keeps it busy with an endless loop, and tells its process id. */
import { openSandbox } from '../../src/transform/sandbox.ts';
import { code, message } from '../support/fixtures/sandbox.ts';

const log = {
  info: (fields: object) => process.send?.(fields),
  warn: () => undefined,
  error: () => undefined,
};
const sandbox = openSandbox({ log, limits: { messageMs: 600_000, silenceMs: 600_000 } });
await sandbox.shape({ transform: code('() => { for (;;); }') }, [message('{}')], { replaces: false });
