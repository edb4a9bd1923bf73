import { expect } from 'chai';
import { isLoopbackName } from '../../src/console/lib/loopback.ts';

describe('console: names of this machine', () => {
  it('are those that a browser sends nowhere else, and no name that only begins like one', () => {
    for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
      expect(isLoopbackName(name), name).to.equal(true);
    for (const name of [
      ...['localhost.example.com', 'localhostess', 'notlocalhost', '127.0.0.1.example.com', '127.example.com'],
      ...['10.0.0.1', '[::2]', '[fe80::1]', 'millrace.internal', ''],
    ])
      expect(isLoopbackName(name), name).to.equal(false);
  });
});
