/** A role as `src/main.ts` runs it, but one that counts nothing: what its counters cost is the difference. */
import { type Role, runRole } from '../src/app.ts';
import { NO_COUNTERS } from '../src/messages/counters.ts';
import { openReporting } from '../src/roles/reporting.ts';
import { readSettings, withDatabase } from '../src/runtime/settings.ts';
import { stopSignal } from '../src/runtime/stop-signal.ts';

const { signal } = stopSignal(process);
await runRole(process.argv[2] as Role, withDatabase(readSettings(process.env)), {
  signal,
  report: (deps, of) => ({ ...openReporting(deps, of), counters: NO_COUNTERS }),
});
process.exit(0);
