import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { signatureHeaders, signingKey } from '../../../src/sinks/webhook/sign.ts';

describe('signatures of webhooks', () => {
  it('are those of the example that libraries for Standard Webhooks are tested with', () => {
    const key = signingKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')!;
    const signed = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: Buffer.from('{"test": 2432232314}'),
      nowMs: 1_614_265_330_999,
    };
    expect(signatureHeaders([key], signed)).to.deep.equal({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('are two with two secrets, and each is over the bytes of the body', () => {
    const keys = [Buffer.alloc(24, 1), Buffer.alloc(32, 2)];
    const body = Buffer.from('{"name":"größe 🙂"}');
    const { 'webhook-signature': signature } = signatureHeaders(keys, { id: '7', body, nowMs: 5_000 });
    const wanted = keys.map(
      (key) => `v1,${createHmac('sha256', key).update('7.5.{"name":"größe 🙂"}', 'utf8').digest('base64')}`,
    );
    expect(signature).to.equal(wanted.join(' '));
  });

  it('are left out without a secret, and the id stays', () => {
    expect(signatureHeaders([], { id: '7', body: Buffer.from('{}'), nowMs: 0 })).to.deep.equal({ 'webhook-id': '7' });
  });

  it('take secrets of 24 to 64 bytes in base64, padded or not, and nothing else', () => {
    const secret = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
    for (const bytes of [24, 25, 26, 64]) {
      expect(signingKey(secret(bytes))?.length).to.equal(bytes);
      expect(signingKey(`${secret(bytes).replaceAll('=', '')}\n`)?.length).to.equal(bytes);
    }
    for (const bad of [
      secret(23),
      secret(65),
      'whsec_',
      'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'whsec_not base64 at all, is it?',
    ])
      expect(signingKey(bad), bad).to.equal(undefined);
  });
});
