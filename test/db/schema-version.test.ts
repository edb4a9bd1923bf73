import { expect } from 'chai';
import { schemaFault } from '../../src/db/schema-version.ts';

describe('the version of the schema', () => {
  const ours = { version: 5, serves: 4 };
  const of = (version: number, serves: number) => schemaFault({ version, serves }, ours);

  it('is good when it is ours, or a later one that serves ours', () => {
    expect(of(5, 4)).to.equal(undefined);
    expect(of(6, 5)).to.equal(undefined);
    expect(of(9, 1)).to.equal(undefined);
  });

  it('names the remedy when there is none, or an older one', () => {
    for (const fault of [schemaFault(undefined, ours), of(4, 4)]) {
      expect(fault).to.have.property('code', 'unavailable');
      expect(fault?.remedy).to.contain('bin/millrace migrate');
    }
  });

  it('says that a later release is needed when a later one serves ours no more', () => {
    expect(of(7, 6)?.message).to.equal(
      'The message database has schema version 7, which works with releases of version 6 and later, and this release is of 5',
    );
    expect(of(7, 6)?.remedy).to.contain('the release that migrated it');
  });
});
