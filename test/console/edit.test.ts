import { expect } from 'chai';
import { bodyOf, newEntry } from '../../src/console/pages/sinks/form/entry.ts';
import { differencesOf, patched, patchOf } from '../../src/console/parts/form/edit.ts';

const STORED = {
  ...{ name: 'history', status: 'active', source_database: 'shop', annotations: { team: 'a', owner: 'b' } },
  retention: { by: 'job', keep: '30 days', every: '10 minutes' },
};

describe('console: what somebody has changed of an entry', () => {
  it('names the keys that differ, null for the default; of a part only those in it', () => {
    const after = { ...STORED, name: '', retention: { by: 'job', keep: '7 days', every: '' } };
    expect(patchOf(STORED, after)).to.deep.equal({ name: null, retention: { keep: '7 days', every: null } });
    expect(patchOf(STORED, { ...STORED, retention: null })).to.deep.equal({ retention: null });
    expect(patchOf({ ...STORED, retention: null }, STORED)).to.deep.equal({ retention: STORED.retention });
    expect(patchOf(STORED, { ...STORED, retention: { ...STORED.retention } })).to.deep.equal({});
  });

  it('leaves out what a form never changes', () => {
    expect(patchOf(STORED, { ...STORED, status: 'paused', source_database: 'other' })).to.deep.equal({});
  });

  it('is put on top of what somebody else has changed meanwhile', () => {
    const theirs = { ...STORED, name: 'theirs', retention: { by: 'job', keep: '30 days', every: '1 hour' } };
    expect(patched(theirs, { retention: { keep: '7 days' } })).to.deep.equal({
      ...theirs,
      retention: { by: 'job', keep: '7 days', every: '1 hour' },
    });
    expect(patched({ ...STORED, retention: null }, { retention: { keep: '7 days' } }).retention).to.deep.equal({
      keep: '7 days',
    });
  });

  it('is told key by key, what is replaced whole as a whole', () => {
    const patch = { annotations: { team: 'c', owner: 'b' }, retention: { keep: '7 days' } };
    expect(differencesOf(STORED, patch)).to.deep.equal([
      { path: 'annotations', old: STORED.annotations, new: patch.annotations },
      { path: 'retention.keep', old: '30 days', new: '7 days' },
    ]);
  });
});

describe('console: what is sent to make a sink', () => {
  it('has no action where none is chosen, so that the API refuses it; the default would be all', () => {
    expect(bodyOf({ ...newEntry(), actions: [] }).actions).to.deep.equal([]);
  });
});
