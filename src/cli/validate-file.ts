/** A millrace.yaml checked by itself, its functions tried. */
import { refuseBadFunctions } from '../admin/check-functions.ts';
import { annotationFaults } from '../catalog/declare/annotation-bound.ts';
import { readTypedConfiguration } from '../catalog/declare/file.ts';
import { type Fault, MillraceError } from '../model/errors.ts';
import { isLoopback } from '../model/loopback.ts';
import { createLog } from '../runtime/log.ts';
import { readSettings } from '../runtime/settings.ts';

/** The warnings. @throws MillraceError bad_configuration, with every fault. */
export async function validateFile(env: NodeJS.ProcessEnv, path: string): Promise<Fault[]> {
  // Of the settings, only who reaches the port matters to a file.
  const { host } = readSettings({ HOST: env.HOST });
  const loopbackOnly = isLoopback(host) && Boolean(env.HOST || !env.DATABASE_URL);
  const { config, warnings } = readTypedConfiguration({ env, loopbackOnly }, path);
  const faults = [...config.databases, ...config.sinks].flatMap(({ settings }) => annotationFaults(settings));
  if (faults.length > 0)
    throw new MillraceError('bad_configuration', 'the configuration has annotations that are too large', { faults });
  await refuseBadFunctions(config.functions, createLog({ level: 'silent', role: 'config' }));
  return warnings;
}
