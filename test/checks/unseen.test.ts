import { expect } from 'chai';
import { checkUnseen } from '../../src/checks/unseen.ts';

describe('a check of commits that nobody sees', () => {
  const said = (...pids: (number | null)[]): string | undefined => {
    const found = pids.map((pid) => ({ pid, since: 'now', standbys: 's1' }));
    return checkUnseen(found, found, true)[0]?.summary;
  };
  const rest = 'for a synchronous standby (synchronous_standby_names is s1): nobody sees';

  it('names the backends that wait, if there are any', () => {
    expect(said()).to.equal(undefined);
    expect(said(7)).to.equal(`backend 7 waits ${rest} its commit yet, and capture waits for it`);
    expect(said(7, 8)).to.equal(`backends 7, 8 wait ${rest} their commit yet, and capture waits for it`);
    expect(said(null)).to.equal(`a prepared transaction waits ${rest} its commit yet, and capture waits for it`);
    expect(said(null, 7)).to.equal(said(7));
  });
});
