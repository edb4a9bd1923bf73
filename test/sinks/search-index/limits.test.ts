import { expect } from 'chai';
import { learnLimits } from '../../../src/sinks/search-index/limits.ts';

const CONFIGURED = { bytes: 8_000_000, documents: 1000 };

describe('learning how large a request may be', () => {
  it('starts with what is configured', () => {
    expect(learnLimits(CONFIGURED).ceiling).to.deep.equal(CONFIGURED);
  });

  it('halves after a 413 and stays below, but for one larger request now and then', () => {
    const limits = learnLimits(CONFIGURED);
    const limit = 3_100_000;
    let refusals = 0;
    for (let sent = 0; sent < 2_000; sent += 1) {
      const { bytes } = limits.ceiling;
      if (bytes > limit) {
        refusals += 1;
        limits.tooLarge(bytes);
        expect(limits.ceiling.bytes).to.be.lessThan(bytes);
      } else limits.accepted(bytes);
    }
    expect(refusals).to.be.lessThan(12);
    expect(limits.ceiling.bytes).to.be.greaterThan(limit / 4);
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

  it('a refusal that was about one small document is forgotten as soon as a larger one passes', () => {
    const limits = learnLimits(CONFIGURED);
    limits.tooLarge(101);
    expect(limits.ceiling.bytes).to.equal(50);
    limits.accepted(102);
    expect(limits.ceiling.bytes).to.equal(8_000_000);
  });

  it('grows back after it though no document is larger', () => {
    const limits = learnLimits(CONFIGURED);
    limits.tooLarge(101);
    let requests = 0;
    while (limits.ceiling.bytes < CONFIGURED.bytes) {
      // As many documents of 90 bytes as fit, one at least.
      limits.accepted(90 * Math.max(1, Math.floor(limits.ceiling.bytes / 90)));
      requests += 1;
    }
    expect(requests).to.be.lessThan(200);
  });

  it('sends fewer documents after a failure, down to one, and more again step by step', () => {
    const limits = learnLimits(CONFIGURED);
    limits.failed(1000);
    expect(limits.ceiling.documents).to.equal(500);
    for (const documents of [8, 4, 2, 1]) limits.failed(documents);
    expect(limits.ceiling.documents).to.equal(1);
    limits.accepted(1000);
    expect(limits.ceiling.documents).to.equal(2);
    for (let i = 0; i < 18; i += 1) limits.accepted(1000);
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
    limits.failed(2);
    limits.dropped(1000);
    for (let i = 0; i < 5; i += 1) limits.accepted(1000);
    expect(limits.ceiling).to.deep.equal({ bytes: 1000, documents: 2 });
  });
});
