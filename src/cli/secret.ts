/** `millrace secret rotate`: what it answers. */
import type { Command } from 'commander';
import { type Rotation, rotateSecrets } from '../catalog/rotate-secrets.ts';
import { keyRing } from '../runtime/secret-key.ts';
import { withMessages } from './connect.ts';
import { operatorSettings } from './settings.ts';
import { PLACE } from './terminal.ts';

export function addSecretCommand(program: Command): void {
  program
    .command('secret')
    .description('the secrets of databases and sinks')
    .command('rotate')
    .description('seal the secrets that a key of SECRET_KEY_PREVIOUS sealed, again with SECRET_KEY')
    .action(async () => {
      const keys = keyRing(await operatorSettings(PLACE.home, PLACE.env));
      const rotation = await withMessages(PLACE, (db) => rotateSecrets(db, keys));
      process.stdout.write(`${rotationText(rotation, keys.current.id)}\n`);
    });
}

export function rotationText({ sealed, kept }: Rotation, keyId: string): string {
  const many = (count: number): string => `${count} ${count === 1 ? 'secret' : 'secrets'}`;
  if (sealed === 0) return `Nothing to do: SECRET_KEY (key ${keyId}) has sealed all ${many(kept)}.`;
  const before = kept === 0 ? '' : `, ${kept} had been before`;
  return (
    `${many(sealed)} sealed again with SECRET_KEY (key ${keyId})${before}. ` +
    'SECRET_KEY_PREVIOUS is not needed any more, once every role has this SECRET_KEY.'
  );
}
