/** `millrace config`: what it takes, asks and answers. */
import type { Command } from 'commander';
import { applyDeclaration, type ConfigDeps, type Plan, planDeclaration } from '../admin/apply-config.ts';
import { refuseBadFunctions } from '../admin/check-functions.ts';
import { exportConfig } from '../admin/export-config.ts';
import { freeStorage } from '../catalog/apply/remove-sink.ts';
import { type Configuration, readConfiguration } from '../catalog/declare/file.ts';
import { faultLine, MillraceError } from '../model/errors.ts';
import { isLoopback } from '../model/loopback.ts';
import { createLog } from '../runtime/log.ts';
import { keyRing } from '../runtime/secret-key.ts';
import { readSettings } from '../runtime/settings.ts';
import { withMessages } from './connect.ts';
import { everywhere } from './everywhere.ts';
import { operatorSettings } from './settings.ts';
import { planText } from './tell-plan.ts';
import { isAgreed, type Person, PLACE, person } from './terminal.ts';

interface PlanWords {
  prune?: boolean;
  adopt?: string[];
  json?: boolean;
}

interface ApplyWords extends PlanWords {
  force?: boolean;
  autoApprove?: boolean;
}

/** For transactions that are in the way of freeing the storage of pruned sinks. */
const FREE_MS = 1_000;
/** Something differs. */
const DIFFERS = 2;
const FILE = 'the file; CONFIG_FILE_PATH if absent, else millrace.yaml';

export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('plan, apply and export millrace.yaml');
  const planned = (name: string, description: string): Command =>
    config
      .command(name)
      .description(description)
      .argument('[file]', FILE)
      .option('--prune', 'delete what a file has made and this one does not name')
      .option('--adopt <kind:name...>', 'take back what was released, as sink:orders-worker');
  planned('plan', 'say what an apply would change; exit code 2 if anything').action(
    async (file: string | undefined, options: PlanWords, command: Command) => {
      const words = { ...options, json: everywhere(command).json };
      const plan = await withConfig((deps) => planDeclaration(deps, readFile(file), words));
      process.stdout.write(words.json === true ? `${JSON.stringify(plan)}\n` : planText(plan));
      process.exitCode = plan.changes.length > 0 ? DIFFERS : 0;
    },
  );
  planned('apply', 'apply it, in one transaction')
    .option('--force', 'prune what has undelivered messages, and databases')
    .option('--auto-approve', 'do not ask')
    .action(async (file: string | undefined, options: ApplyWords, command: Command) => {
      const { json, yes } = everywhere(command);
      const words = { ...options, json, autoApprove: yes || options.autoApprove === true };
      const isDone = await withConfig((deps) => runApply({ ...deps, ...person() }, readFile(file), words));
      process.exitCode = isDone ? 0 : 1;
    });
  config
    .command('export')
    .description('print what is declared as a file')
    .option('--reveal', 'write secrets too (tokens never: their hashes alone are stored)')
    .action(async ({ reveal = false }: { reveal?: boolean }) => {
      process.stdout.write(await withConfig((deps) => exportConfig(deps, { reveal })));
    });
  config
    .command('validate')
    .description('check a file by itself, without any database')
    .argument('[file]', FILE)
    .action(async (file: string | undefined) => {
      const { config: declared, warnings } = readFile(file);
      await tryFunctions(declared.functions);
      for (const warning of warnings) process.stderr.write(`${faultLine(warning)}\n`);
      process.stdout.write('No fault was found.\n');
    });
}

const tryFunctions: ConfigDeps['tryFunctions'] = (functions) =>
  refuseBadFunctions(functions, createLog({ level: 'silent', role: 'config' }));

function readFile(file: string | undefined): Configuration {
  const { host, configFilePath } = readSettings(PLACE.env);
  const path = file ?? configFilePath ?? 'millrace.yaml';
  return readConfiguration({ env: PLACE.env, loopbackOnly: isLoopback(host) }, { path });
}

async function withConfig<Result>(work: (deps: ConfigDeps) => Promise<Result>): Promise<Result> {
  const keys = keyRing(await operatorSettings(PLACE.home, PLACE.env));
  return await withMessages(PLACE, (db) =>
    work({
      ...{ db, keys, tryFunctions },
      freeStorage: async () => void (await freeStorage(db, FREE_MS).catch(() => false)),
    }),
  );
}

/** Plans, asks, and applies exactly that. False when the answer was no. @throws MillraceError */
export async function runApply(
  { say, ask, ...deps }: ConfigDeps & Person,
  configuration: Configuration,
  words: ApplyWords,
): Promise<boolean> {
  const plan = await planDeclaration(deps, configuration, words);
  const isQuiet = words.json === true;
  if (!isQuiet) say(planText(plan).trimEnd());
  if (plan.losses.length > 0 && words.force !== true) throw needsForce(plan);
  if (plan.changes.length > 0 && words.autoApprove !== true) {
    const unasked = { message: 'nobody can be asked whether to apply this', remedy: 'Add --auto-approve.' };
    if (!(await isAgreed({ ask }, 'Apply this? [y/N] ', unasked))) {
      say('Nothing was applied.');
      return false;
    }
  }
  const { prune, adopt, force } = words;
  const options = { prune, adopt, force, from: 'cli', generation: plan.generation };
  const applied = await applyDeclaration(deps, configuration, options);
  if (isQuiet) say(JSON.stringify(applied));
  else say(applied.changes.length === 0 ? 'Nothing was to be done.' : 'Applied.');
  return true;
}

const needsForce = ({ losses }: Plan): MillraceError =>
  new MillraceError('needs_force', `Nothing was applied: ${losses.join('; ')}`, {
    remedy: 'Add --force if that may be lost.',
  });
