/**
 * Seals every secret anew with the current key: one transaction, so that death on any line leaves all as it was. Called
 * again it finds what is left, which is nothing when it had ended.
 */
import type { Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { Destination } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import { type ChangeOptions, changeCatalog } from './apply/transaction.ts';
import { recordChange } from './audit.ts';
import { addressPlace, credentialPlace, keyIdOf, type SecretPlace, seal, unseal } from './secrets.ts';

const listDatabases = statement('catalog/list-databases');
const listSinks = statement('catalog/list-sinks');
const resealAddress = statement('catalog/reseal-address');
const resealSecret = statement('catalog/reseal-secret');

export interface Rotation {
  /** How many were sealed with a former key, and are sealed again. */
  sealed: number;
  /** How many the current key had sealed already. */
  kept: number;
}

interface Secret {
  place: SecretPlace;
  sealed: string;
}

/**
 * @throws MillraceError bad_setting, naming everything that opens with no key that we have: nothing is changed then.
 * unavailable when locks could not be had.
 */
export async function rotateSecrets(db: Transacting, keys: KeyRing, options: ChangeOptions = {}): Promise<Rotation> {
  return await changeCatalog(
    db,
    async (tx) => {
      const databases = await tx.query<{ id: string; name: string; hostname: string; address: string }>(listDatabases);
      const sinks = await tx.query<SinkRow>(listSinks);
      const secrets: Secret[] = [
        ...databases.rows.map((row) => ({ place: addressPlace(row), sealed: row.address })),
        ...sinks.rows.flatMap(({ secret, settings, ...sink }) =>
          secret === null
            ? []
            : [{ place: credentialPlace({ ...sink, destination: settings.destination }), sealed: secret }],
        ),
      ];
      const opened = openAll(keys, secrets);
      const former = opened.filter(({ sealed }) => keyIdOf(sealed) !== keys.current.id);
      for (const { place, plain } of former) {
        const put = place.field === 'address' ? resealAddress : resealSecret;
        await tx.query(put, [place.id, seal(keys, place, plain)]);
      }
      if (former.length > 0) {
        await recordChange(tx, { action: 'rotate', subject: 'secret keys', after: { sealed: former.length } });
      }
      return { sealed: former.length, kept: opened.length - former.length };
    },
    options,
  );
}

interface SinkRow {
  id: string;
  name: string;
  secret: string | null;
  settings: { destination: Destination };
}

const keyText = (sealed: string): string => {
  const id = keyIdOf(sealed);
  return id === undefined ? 'in a form that this release does not read' : `key ${id}`;
};

function openAll(keys: KeyRing, secrets: readonly Secret[]): (Secret & { plain: string })[] {
  const closed: string[] = [];
  const opened = secrets.flatMap((secret) => {
    try {
      return [{ ...secret, plain: unseal(keys, secret.place, secret.sealed) }];
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      closed.push(
        `${secret.place.label} (${error.code === 'bad_setting' ? keyText(secret.sealed) : 'sealed for another place'})`,
      );
      return [];
    }
  });
  if (closed.length === 0) return opened;
  throw new MillraceError(
    'bad_setting',
    `Nothing was sealed again: neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens the secret of ${closed.join(', ')}`,
    {
      remedy:
        'Put the former keys into SECRET_KEY_PREVIOUS, with commas between them, and call this again. What was sealed for ' +
        'another place is sealed again when millrace.yaml is applied.',
    },
  );
}
