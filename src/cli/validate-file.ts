/** A millrace.yaml checked by itself, its functions tried. */
import { refuseBadFunctions } from '../admin/check-functions.ts';
import { readTypedConfiguration } from '../catalog/declare/file.ts';
import type { Fault } from '../model/errors.ts';
import { isLoopback } from '../model/loopback.ts';
import { createLog } from '../runtime/log.ts';
import { readSettings } from '../runtime/settings.ts';

/** The warnings. @throws MillraceError bad_configuration, with every fault. */
export async function validateFile(env: NodeJS.ProcessEnv, path: string): Promise<Fault[]> {
  const { host } = readSettings(env);
  const { config, warnings } = readTypedConfiguration({ env, loopbackOnly: isLoopback(host) }, path);
  await refuseBadFunctions(config.functions, createLog({ level: 'silent', role: 'config' }));
  return warnings;
}
