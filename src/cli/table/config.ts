/** `millrace config`. What it does is loaded when it is asked: it reads a whole millrace.yaml. */
import type { Flag, Group } from './command.ts';

const runs = async () => await import('./config-runs.ts');

const WISHES: Flag[] = [
  { flags: '--prune', about: 'delete what a file once declared and this one does not' },
  { flags: '--adopt <kind:name...>', about: 'return a released thing to the file, such as sink:orders-worker' },
];

export const CONFIG: Group = {
  name: 'config',
  about: 'plan, apply and export millrace.yaml',
  commands: [
    {
      words: 'plan [file]',
      about: 'show what an apply would change; exit code 2 if anything',
      flags: WISHES,
      asks: ['POST /api/config/plan'],
      examples: ['plan', 'plan millrace.yaml --prune'],
      run: async (running) => await (await runs()).plan(running),
    },
    {
      words: 'apply [file]',
      about: 'apply a file in one transaction; shows the plan and asks first',
      flags: [
        ...WISHES,
        { flags: '--force', about: 'also prune sinks with undelivered messages, and databases' },
        { flags: '--auto-approve', about: 'do not ask' },
      ],
      asks: ['POST /api/config/plan', 'POST /api/config/apply'],
      examples: ['apply', 'apply millrace.yaml --prune --auto-approve'],
      run: async (running) => await (await runs()).apply(running),
    },
    {
      words: 'export',
      about: 'print everything declared as a file',
      flags: [
        {
          flags: '--reveal',
          about: 'include secrets, with DATABASE_URL only (but never tokens, of which only hashes are stored)',
        },
      ],
      asks: ['GET /api/config/export'],
      examples: ['export > millrace.yaml'],
      run: async (running) => await (await runs()).exported(running),
    },
    {
      words: 'validate [file]',
      about: 'check a file, without a service or a database',
      asks: [],
      examples: ['validate millrace.yaml'],
      run: async (running) => await (await runs()).validated(running),
    },
  ],
};
