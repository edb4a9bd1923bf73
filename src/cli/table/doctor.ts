/** `millrace doctor`. Exit code 0: nothing is wrong, 1: it could not look, 2: something is. */
import type { Examination } from '../../admin/doctor/examine.ts';
import { tellExamination, tellSql } from '../tell-examination.ts';
import type { Group, RouteCommand } from './command.ts';

const WRONG = 2;
const found = (answer: unknown): Examination => Object(answer);

const doctor: RouteCommand = {
  words: 'doctor',
  about:
    'find what is wrong, and what to run; exit code 0: nothing is wrong, 1: it could not check, 2: something is wrong',
  route: 'GET /api/doctor',
  fields: [
    { flags: '--database <name>', about: 'only this database and its sinks', field: 'database' },
    { flags: '--sink <name>', about: 'only this sink and its database', field: 'sink' },
  ],
  flags: [
    { flags: '--sql', about: 'print only the statements that fix the problems' },
    { flags: '--strict', about: 'exit code 2 for warnings too' },
  ],
  examples: ['doctor', 'doctor --database shop --sql'],
  tell: (answer, { options }) => (options.sql === true ? tellSql(found(answer)) : tellExamination(found(answer))),
  exitCode(answer, { options }) {
    const { ok, checks } = found(answer);
    const isWarned = options.strict === true && checks.some(({ status }) => status === 'warning');
    return ok && !isWarned ? 0 : WRONG;
  },
};

export const DOCTOR: Group = { commands: [doctor] };
