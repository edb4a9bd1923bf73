/** The configuration file of this process beside what it has made: what it does not name any more. */
import { typeOf } from '../../catalog/apply/sinks.ts';
import type { Declared } from '../../catalog/declare/declaration.ts';
import { readConfiguration } from '../../catalog/declare/file.ts';
import { checkFile, type NamedThing } from '../../checks/file.ts';
import type { Finding } from '../../checks/finding.ts';
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { MillraceError } from '../../model/errors.ts';
import type { Settings } from '../../runtime/settings.ts';

const OF_FILE = statement('admin/doctor/of-file');

/** Nothing is said where this process has no file, or cannot read it: another one may. */
export async function lookAtFile(
  db: Queryable,
  { configFilePath, configFileYaml }: Pick<Settings, 'configFilePath' | 'configFileYaml'>,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  if (configFilePath === null && configFileYaml === null) return [];
  const source = configFileYaml === null ? { path: configFilePath! } : { yaml: configFileYaml };
  try {
    const { config } = readConfiguration({ env, loopbackOnly: true }, source);
    return checkFile((await db.query<NamedThing>(OF_FILE)).rows, namedBy(config));
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'bad_configuration') return [];
    throw error;
  }
}

const namedBy = ({ databases, functions, sinks, tokens }: Declared): NamedThing[] => [
  ...databases.map(({ settings: { name } }) => ({ type: 'database', name })),
  ...functions.map(({ name }) => ({ type: 'function', name })),
  ...sinks.map(({ settings }) => ({ type: typeOf(settings), name: settings.name })),
  ...tokens.map(({ name }) => ({ type: 'token', name })),
];
