/** Compiles functions and tries them in the sandbox, so that a mistake is said before it meets a message. */
import type { FunctionSettings } from '../model/declared.ts';
import { type Fault, MillraceError } from '../model/errors.ts';
import type { SandboxLog } from '../transform/dispatch.ts';
import { openSandbox } from '../transform/sandbox.ts';

/** @throws MillraceError bad_configuration with every fault. */
export async function refuseBadFunctions(functions: readonly FunctionSettings[], log: SandboxLog): Promise<void> {
  const faults = await functionFaults(functions, log);
  if (faults.length > 0)
    throw new MillraceError('bad_configuration', 'the configuration has functions that do not work', { faults });
}

/** With line and column of the code. */
async function functionFaults(functions: readonly FunctionSettings[], log: SandboxLog): Promise<Fault[]> {
  if (functions.length === 0) return [];
  const sandbox = openSandbox({ log });
  const faults: Fault[] = [];
  try {
    for (const [place, fn] of functions.entries()) {
      const fault = await sandbox.check(fn);
      if (!fault) continue;
      const at = fault.line === undefined ? '' : ` (line ${fault.line}, column ${fault.column ?? 1} of its code)`;
      faults.push({
        field: `functions[${place}].${fn.path === null ? 'code' : 'path'}`,
        message: `${fn.name}: ${fault.message}${at}`,
      });
    }
  } finally {
    await sandbox.close();
  }
  return faults;
}
