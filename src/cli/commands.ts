/** Every command of an operator: what each takes stands in its own file. */
import type { Command } from 'commander';
import { addSqlCommand } from './sql.ts';
import { addGroup } from './table/add.ts';
import { GROUPS } from './table/groups.ts';

/** In the order of `--help`. */
export function addCommands(program: Command): void {
  for (const group of GROUPS) addGroup(program, group);
  addSqlCommand(program);
}
