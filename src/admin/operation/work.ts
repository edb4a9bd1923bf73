/** What each kind of operation does. Loaded when one begins: lanes need none of it. */
import type { KeyRing } from '../../runtime/secret-key.ts';
import type { Settings } from '../../runtime/settings.ts';
import type { JobKind } from './held.ts';
import type { Work } from './runner.ts';

export interface WorkDeps {
  settings: Settings;
  keys: KeyRing;
}

export const operationWork = ({ settings, keys }: WorkDeps): Record<JobKind, Work> => ({
  verify: async (held) => await (await import('./verify-job.ts')).verifyWork(settings)(held),
  rebuild: async (held) => await (await import('./rebuild-job.ts')).rebuildWork({ settings, keys })(held),
  resync: async (held) => await (await import('./resync-job.ts')).resyncWork(held),
  retry: async (held) => await (await import('./settle-job.ts')).settleWork('retry')(held),
  discard: async (held) => await (await import('./settle-job.ts')).settleWork('discard')(held),
});
