/** Commands about the service itself. */
import type { Group } from './command.ts';
import { tellThing } from './tell.ts';

export const SERVICE: Group = {
  commands: [
    {
      words: 'whoami',
      about: 'show which token asks, what it may do, and the version of the service',
      route: 'GET /api/whoami',
      examples: ['whoami'],
      tell: tellThing,
    },
  ],
};
