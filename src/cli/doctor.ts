/** `millrace doctor`: what it takes, and what it answers. Exit code 0: nothing is wrong, 1: it could not look, 2: something is. */
import type { Command } from 'commander';
import { type Examination, examine } from '../admin/doctor/examine.ts';
import { createLog } from '../runtime/log.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { everywhere } from './everywhere.ts';
import { operatorSettings } from './settings.ts';
import { tellExamination, tellSql } from './tell-examination.ts';
import { PLACE } from './terminal.ts';

interface Options {
  database?: string;
  sink?: string;
  sql?: boolean;
  strict?: boolean;
}

/** Something differs from what it should be. */
const WRONG = 2;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('find what is wrong, and say what to run; exit code 0: nothing, 1: it could not look, 2: something is')
    .option('--database <name>', 'this database and its sinks alone')
    .option('--sink <name>', 'this sink and its database alone')
    .option('--sql', 'only the statements that put it right')
    .option('--strict', 'exit code 2 for warnings too')
    .addHelpText('after', '\nExamples:\n  bin/millrace doctor\n  bin/millrace doctor --database shop --sql\n')
    .action(async ({ database, sink, sql, strict }: Options, command: Command) => {
      const { json } = everywhere(command);
      const settings = await operatorSettings(PLACE.home, PLACE.env);
      const log = createLog({ level: 'silent', role: 'doctor' });
      const found = await examine({ settings, log, now: Date.now }, { database, sink }, stopSignal(process).signal);
      const told = json ? `${JSON.stringify(found)}\n` : sql ? tellSql(found) : tellExamination(found);
      process.stdout.write(told);
      process.exitCode = isWrong(found, strict ?? false) ? WRONG : 0;
    });
}

const isWrong = ({ ok, checks }: Examination, strict: boolean): boolean =>
  !ok || (strict && checks.some(({ status }) => status === 'warning'));
