import { expect } from 'chai';
import { MillraceError } from '../src/model/errors.ts';
import { describe as described } from '../src/start.ts';

describe('what a start says of its failure', () => {
  const fault = { field: 'PORT', message: '80 is in use', remedy: 'Set PORT to another one.' };

  it('has each fault with its remedy, and no remedy twice', () => {
    const error = new MillraceError('bad_setting', 'PORT is in use', { faults: [fault], remedy: fault.remedy });
    expect(described(error)).to.equal('Millrace cannot start:\n  PORT: 80 is in use. Set PORT to another one.');
  });

  it('tells a standby from what else a server refuses', () => {
    const refused = 'cannot execute INSERT in a read-only transaction';
    expect(described(Object.assign(new Error(refused), { code: '25006' }))).to.equal(
      `Millrace cannot start: ${refused}\n  DATABASE_URL leads to a server that is read-only, as a standby is: name the primary.`,
    );
    expect(described(Object.assign(new Error('not this'), { code: '0A000' }))).to.equal('not this');
  });

  it('has the remedy of the whole once', () => {
    const error = new MillraceError('bad_setting', 'nothing fits', { faults: [fault], remedy: 'Read the page.' });
    expect(described(error)).to.match(/another one\.\n {2}Read the page\.$/);
    expect(described(new MillraceError('unavailable', 'down', { remedy: 'Wait.' }))).to.equal(
      'Millrace cannot start: down\n  Wait.',
    );
  });
});
