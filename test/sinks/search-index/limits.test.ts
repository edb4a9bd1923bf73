import { expect } from 'chai';
import { learnLimits } from '../../../src/sinks/search-index/limits.ts';

const CONFIGURED = { bytes: 8_000_000, documents: 1000 };

describe('learning how large a request may be', () => {
  it('starts with what is configured', () => {
    expect(learnLimits(CONFIGURED).ceiling).to.deep.equal(CONFIGURED);
  });

  it('halves after a 413, remembers it, and never asks for as much as was refused', () => {
    const limits = learnLimits(CONFIGURED);
    limits.tooLarge(6_000_000);
    expect(limits.ceiling.bytes).to.equal(3_000_000);
    for (let i = 0; i < 50; i += 1) limits.accepted(2_900_000);
    expect(limits.ceiling.bytes).to.equal(3_000_000);
    limits.tooLarge(3_000_000);
    expect(limits.ceiling.bytes).to.equal(2_900_000);
  });

  it('is smaller than every refused request, in whatever order answers come', () => {
    const limits = learnLimits(CONFIGURED);
    for (const bytes of [100, 7_000_000, 4000, 90]) {
      limits.accepted(5000);
      limits.tooLarge(bytes);
      expect(limits.ceiling.bytes).to.be.lessThan(bytes);
    }
  });

  it('a single document that is too large does not shrink what is known to pass', () => {
    const limits = learnLimits(CONFIGURED);
    limits.accepted(7_900_000);
    limits.tooLarge(20_000_000);
    expect(limits.ceiling.bytes).to.equal(8_000_000);
  });

  it('sends fewer documents when the engine has no room, and more again step by step', () => {
    const limits = learnLimits(CONFIGURED);
    limits.pushedBack(1000);
    expect(limits.ceiling.documents).to.equal(500);
    limits.pushedBack(8);
    expect(limits.ceiling.documents).to.equal(10);
    limits.accepted(1000);
    expect(limits.ceiling.documents).to.equal(13);
    for (let i = 0; i < 30; i += 1) limits.accepted(1000);
    expect(limits.ceiling.documents).to.equal(1000);
  });

  it('sends smaller requests when a long upload is cut off, and larger ones again when they pass', () => {
    const limits = learnLimits(CONFIGURED);
    limits.dropped(8_000_000);
    expect(limits.ceiling.bytes).to.equal(4_000_000);
    limits.dropped(4_000_000);
    expect(limits.ceiling.bytes).to.equal(2_000_000);
    limits.dropped(500);
    expect(limits.ceiling.bytes).to.equal(2_000_000);
    for (let i = 0; i < 20; i += 1) limits.accepted(limits.ceiling.bytes);
    expect(limits.ceiling.bytes).to.equal(8_000_000);
  });

  it('never goes above a small configured batch', () => {
    const limits = learnLimits({ bytes: 1000, documents: 2 });
    limits.pushedBack(2);
    limits.dropped(1000);
    expect(limits.ceiling).to.deep.equal({ bytes: 1000, documents: 2 });
  });
});
