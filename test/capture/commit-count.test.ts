/** Each transaction with something new is counted once, and none is lost where its count could not be written. */
import { expect } from 'chai';
import { CommitCount } from '../../src/capture/replication/commit-count.ts';

describe('commits of a source', () => {
  const noted = async (commits: CommitCount): Promise<number> => {
    let count = 0;
    await commits.note(async (found) => {
      count = found;
    });
    return count;
  };

  it('are those that brought something new', async () => {
    const commits = new CommitCount();
    for (const changes of [0, 1, 3, 0]) {
      commits.begin();
      for (let n = 0; n < changes; n += 1) commits.change();
      commits.commit();
    }
    expect(await noted(commits)).to.equal(2);
    expect(await noted(commits)).to.equal(0);
  });

  it('come with the next ones where they could not be written, also those that came meanwhile', async () => {
    const commits = new CommitCount();
    const one = (): void => {
      commits.begin();
      commits.change();
      commits.commit();
    };
    one();
    const refused = commits.note(async () => {
      one();
      throw new Error('away');
    });
    expect(await refused.catch((error: Error) => error.message)).to.equal('away');
    await commits.note(async () => one());
    expect(await noted(commits)).to.equal(1);
  });
});
