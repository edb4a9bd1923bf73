/** Commands about the service itself. */
import type { Group } from './command.ts';
import { tellThing, textAt } from './tell.ts';

export const SERVICE: Group = {
  commands: [
    {
      words: 'whoami',
      about: 'show the token in use, what it may do, and the version of the service',
      route: 'GET /api/whoami',
      examples: ['whoami'],
      tell(answer) {
        // For a page of the console.
        const { csrf: _, ...rest } = Object(answer);
        return tellThing(rest);
      },
    },
    {
      words: 'openapi',
      about: 'print the OpenAPI document of the management API; needs neither a service nor a database nor a token',
      route: 'GET /api/openapi.json',
      isOpen: true,
      examples: ['openapi > openapi.json'],
      tell: (answer) => JSON.stringify(answer),
    },
  ],
};

export const SECRETS: Group = {
  name: 'secret',
  about: 'the secrets of databases and sinks',
  commands: [
    {
      words: 'rotate',
      about: 'seal secrets that were sealed with a key of SECRET_KEY_PREVIOUS again with SECRET_KEY',
      route: 'POST /api/secrets/rotate',
      examples: ['rotate'],
      tell: rotationText,
    },
  ],
};

function rotationText(rotation: unknown): string {
  const [sealed, kept, keyId] = ['sealed', 'kept', 'key_id'].map((key) => textAt(rotation, key));
  const many = (number: string | undefined): string => `${number} ${number === '1' ? 'secret' : 'secrets'}`;
  if (sealed === '0') return `Nothing to do: SECRET_KEY (key ${keyId}) has sealed all ${many(kept)}.`;
  const before = kept === '0' ? '' : `, ${kept} had been before`;
  return (
    `${many(sealed)} sealed again with SECRET_KEY (key ${keyId})${before}. ` +
    'SECRET_KEY_PREVIOUS is not needed any more, once every role has this SECRET_KEY.'
  );
}
