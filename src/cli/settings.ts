/** How a command of an operator reaches the service: by its environment, else the embedded server of this folder. */
import { readSettings, type Settings, withDatabase } from '../runtime/settings.ts';
import { readState, withKept } from '../runtime/state.ts';
import { sqlAddress } from './sql-prompt.ts';

/** @throws MillraceError when there is neither. */
export async function operatorSettings(home: string, env: NodeJS.ProcessEnv): Promise<Settings> {
  const declared = readSettings(env);
  if (declared.databaseUrl !== null) return withDatabase(declared);
  const databaseUrl = await sqlAddress({ home, env });
  const state = await readState(home);
  return withDatabase({ ...declared, databaseUrl, ...(state ? withKept(declared, state.secretKey) : {}) });
}
