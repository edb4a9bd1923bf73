import { expect } from 'chai';
import { retryAfter } from '../../src/runtime/http-client.ts';

describe('Retry-After', () => {
  it('is seconds or a date, never negative, and no longer than is said', () => {
    const now = { nowMs: Date.parse('2026-01-01T00:00:00Z'), longestMs: 600_000 };
    expect(retryAfter('7', now)).to.equal(7000);
    expect(retryAfter('Thu, 01 Jan 2026 00:00:05 GMT', now)).to.equal(5000);
    expect(retryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).to.equal(0);
    expect(retryAfter('999999', now)).to.equal(600_000);
    for (const value of [undefined, '', 'soon']) expect(retryAfter(value, now)).to.equal(undefined);
  });
});
