import { expect } from 'chai';
import { FunctionKeys } from '../../src/transform/function-keys.ts';
import { code } from '../support/fixtures/sandbox.ts';

describe('numbers of functions', () => {
  it('are the same for the same text and sink, and others for an edited one and for another sink', () => {
    const keys = new FunctionKeys();
    const one = code('() => 1');
    const first = keys.keyOf(one, 1);
    expect(keys.keyOf(one, 1)).to.equal(first);
    expect(keys.keyOf(code('() => 1'), 1)).to.equal(first);
    expect(new Set([first, keys.keyOf(code('() => 2'), 1), keys.keyOf(one, 2), keys.keyOf(one, 0)]).size).to.equal(4);
  });
});
