/** Every command of an operator: what each takes stands in its own file. */
import type { Command } from 'commander';
import { addBackfillCommands } from './backfill.ts';
import { addChangeTableCommand } from './change-table-sql.ts';
import { addConfigCommands } from './config.ts';
import { addDatabaseCommands } from './database.ts';
import { addDoctorCommand } from './doctor.ts';
import { addOpenApiCommand } from './openapi.ts';
import { addRebuildCommand } from './rebuild.ts';
import { addReleaseCommands } from './release.ts';
import { sendOverHttp } from './remote/over-http.ts';
import { addReplayCommand } from './replay.ts';
import { addResyncCommand } from './resync.ts';
import { addSecretCommand } from './secret.ts';
import { addSinkCommands } from './sink.ts';
import { addSqlCommand } from './sql.ts';
import { addGroup } from './table/add.ts';
import { GROUPS } from './table/groups.ts';
import { addVerifyCommand } from './verify.ts';

/** In the order of `--help`. */
const COMMANDS = [
  addConfigCommands,
  addReleaseCommands,
  addSqlCommand,
  addDoctorCommand,
  addChangeTableCommand,
  addVerifyCommand,
  addBackfillCommands,
  addReplayCommand,
  addSinkCommands,
  addDatabaseCommands,
  addRebuildCommand,
  addResyncCommand,
  addSecretCommand,
  addOpenApiCommand,
];

export function addCommands(program: Command): void {
  for (const add of COMMANDS) add(program);
  for (const group of GROUPS) addGroup(program, group);
  sendOverHttp(program);
}
