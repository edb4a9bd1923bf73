import { expect } from 'chai';
import { checkProcesses, type ProcessFacts } from '../../src/checks/processes.ts';

const web = { role: 'web', host: 'a', version: '1.0.0', keyId: 'k1' };
const well: ProcessFacts = {
  ...{ uncaptured: [], hasWorker: true, needsWorker: true, needsWeb: true },
  processes: [web, { ...web, role: 'worker' }],
};
const idsOf = (facts: Partial<ProcessFacts>): string[] => checkProcesses({ ...well, ...facts }).map(({ id }) => id);

describe('the check of processes', () => {
  it('finds those that are missing, where they are needed', () => {
    expect(idsOf({})).to.deep.equal(['processes']);
    expect(idsOf({ uncaptured: ['shop'], hasWorker: false, processes: [] })).to.deep.equal([
      'no_capture',
      'no_worker',
      'no_web',
    ]);
    const [idle] = checkProcesses({ ...well, hasWorker: false, needsWorker: false, needsWeb: false, processes: [] });
    expect(idle).to.include({ id: 'processes', summary: 'none is running, and nothing that is declared needs one' });
    expect(checkProcesses({ ...well, hasWorker: false, needsWorker: false })[0]?.summary).to.equal(
      'these report: web, worker',
    );
  });

  it('finds releases and keys that differ, and says whose', () => {
    const processes = [web, { ...web, role: 'worker', host: 'b', version: '1.1.0', keyId: 'k2' }];
    const found = checkProcesses({ ...well, processes });
    expect(found.map(({ id, status }) => [id, status])).to.deep.equal([
      ['versions_differ', 'warning'],
      ['key_differs', 'warning'],
    ]);
    expect(found[0]!.summary).to.contain('1.0.0 (web on a); 1.1.0 (worker on b)');
    expect(found[1]!.summary).to.contain('key k1 (web on a); key k2 (worker on b)');
  });

  it('finds that all of them have another key than whoever asks, as after a rotation of secrets', () => {
    expect(idsOf({ ownKeyId: 'k1' })).to.deep.equal(['processes']);
    const [found] = checkProcesses({ ...well, ownKeyId: 'k2' });
    expect(found).to.include({ id: 'key_differs', status: 'warning' });
    expect(found!.summary).to.contain('key k1 (web on a, worker on a); key k2 (the doctor on this machine)');
    expect(idsOf({ ownKeyId: 'k2', processes: [], needsWeb: false })).to.deep.equal(['processes']);
  });
});
