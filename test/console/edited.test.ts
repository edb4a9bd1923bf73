/** The settings of a database in a form. */
import { expect } from 'chai';
import { EMPTY, entryOf } from '../../src/console/pages/databases/draft.ts';
import { changesOf, differences, editedOf, effectOf, writtenOf } from '../../src/console/pages/databases/edited.ts';

const { creates: _, ...empty } = EMPTY;
const before = {
  ...{ ...empty, username: 'ann', pool_size: '2', max_row_bytes: '1000', invalid_utf8: 'replace' },
  ...{ trigger_errors: 'fail', creates_slot: true, creates_publication: true, init_sql: '', annotations: '' },
};

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

describe('console: the changed settings of a database', () => {
  it('are written for the file without a port or a user that nobody knows', () => {
    const stored = {
      ...{ name: 'shop', hostname: 'db.example.com', port: null, database: 'd', username: null, ssl: 'prefer' },
      ...{ pool_size: 2, max_row_bytes: 1_000, invalid_utf8: 'replace', annotations: {} },
      slot: { name: 's', create_if_not_exists: true },
      publication: { name: 'p', create_if_not_exists: true, init_sql: null },
    };
    expect(writtenOf(editedOf(stored))).to.deep.equal({
      ...{ name: 'shop', hostname: 'db.example.com', database: 'd', password: '...', ssl: 'prefer' },
      ...{ pool_size: 2, max_row_bytes: 1_000, invalid_utf8: 'replace' },
      slot: { name: 's', create_if_not_exists: true },
      publication: { name: 'p', create_if_not_exists: true },
    });
  });

  it('write the way of capture where it is not replication, and say what changing it does', () => {
    const triggers = { ...before, capture: 'triggers' } as const;
    expect(changesOf(before, triggers)).to.deep.equal({ capture: 'triggers' });
    expect(effectOf(before, triggers)).to.match(/goes on as before until the other way is ready/);
    const skipping = { ...triggers, trigger_errors: 'skip' };
    expect(changesOf(triggers, skipping)).to.deep.equal({ trigger_errors: 'skip' });
    expect(effectOf(triggers, skipping)).to.equal('Capture is not interrupted.');
    const { slot, capture } = entryOf({ ...EMPTY, capture: 'triggers' });
    expect([slot, capture]).to.deep.equal([undefined, 'triggers']);
    expect(entryOf(EMPTY)).to.not.have.property('capture');
  });

  it('are sent as the API takes them; a port or a user that was emptied is the default', () => {
    expect(changesOf(before, before)).to.deep.equal({});
    expect(changesOf(before, { ...before, port: ' ', username: '' })).to.deep.equal({ port: null, username: null });
    expect(changesOf(before, { ...before, port: '6000', pool_size: 'x' })).to.deep.equal({
      ...{ port: 6_000, pool_size: 'x' },
    });
  });

  it('cover all that a database can have, each written as it was read', () => {
    const stored = {
      ...{ name: 'shop', hostname: 'db.example.com', port: 5_432, database: 'd', username: 'u' },
      ssl: { ca: PEM, verify: 'ca', channel_binding: true },
      ...{ pool_size: 2, max_row_bytes: 2_000, invalid_utf8: 'park', annotations: { team: 'shop', at: 'a: b' } },
      slot: { name: 's', create_if_not_exists: false },
      publication: { name: 'p', create_if_not_exists: true, init_sql: 'create publication p for all tables' },
    } as const;
    const edited = editedOf(stored);
    expect(changesOf(edited, edited)).to.deep.equal({});
    expect(writtenOf(edited)).to.deep.equal({ ...stored, password: '...' });
    for (const ssl of ['prefer', true, false, { verify: false }, { ca: PEM, verify: true }] as const)
      expect(writtenOf(editedOf(Object.assign({}, stored, { ssl }))), JSON.stringify(ssl)).to.deep.include({ ssl });
  });

  it('name the keys of a part, and leave its other keys alone', () => {
    const draft = {
      ...before,
      creates_slot: false,
      init_sql: 'create publication p for all tables',
      annotations: 'a: b',
    };
    expect(changesOf(before, draft)).to.deep.equal({
      slot: { create_if_not_exists: false },
      publication: { init_sql: 'create publication p for all tables' },
      annotations: { a: 'b' },
    });
    expect(differences(before, { ...before, ssl: 'ca', ca: PEM })).to.deep.equal([
      { path: 'ssl', old: 'prefer', new: { ca: PEM, verify: 'ca' } },
    ]);
    // A certificate verifies nothing where nothing is verified.
    expect(changesOf(before, { ...before, ssl: 'unverified', ca: PEM })).to.deep.equal({ ssl: { verify: false } });
  });
});
