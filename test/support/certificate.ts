/**
 * Certificates for 127.0.0.1, made when a test needs one: no key lies in the repository and no tool is needed. Just enough
 * DER (ITU-T X.690) for TLS.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Certificate {
  key: string;
  cert: string;
}

interface Validity {
  /** Days from now. */
  from?: number;
  to?: number;
  /** The one address that it is for. */
  address?: readonly number[];
}

/** One that vouches for itself. */
export function selfSignedCertificate(): Certificate {
  const keys = keyPair();
  return pem(keys.privateKey, made({ ...keys, subject: 'itself', issuer: 'itself', signedBy: keys.privateKey }));
}

/** A private authority: its own certificate, and those that it issues. */
export function certificateAuthority(): { cert: string; issue(validity?: Validity): Certificate } {
  const authority = keyPair();
  const signedBy = authority.privateKey;
  const own = made({ ...authority, subject: 'authority', issuer: 'authority', signedBy, isAuthority: true });
  return {
    cert: pem(signedBy, own).cert,
    issue(validity = {}) {
      const keys = keyPair();
      return pem(keys.privateKey, made({ ...keys, subject: 'server', issuer: 'authority', signedBy, ...validity }));
    },
  };
}

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

function made(
  of: Validity & { subject: string; issuer: string; publicKey: KeyObject; signedBy: KeyObject; isAuthority?: boolean },
): Buffer {
  const algorithm = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const address = der(0x87, Buffer.from(of.address ?? [127, 0, 0, 1]));
  const extensions = of.isAuthority
    ? sequence(oid([0x55, 0x1d, 0x13]), der(0x04, sequence(der(0x01, Buffer.from([0xff])))))
    : sequence(oid([0x55, 0x1d, 0x11]), der(0x04, sequence(address)));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([of.isAuthority ? 1 : 2])),
    algorithm,
    nameOf(of.issuer),
    sequence(utcTime(of.from ?? -1), utcTime(of.to ?? 1)),
    nameOf(of.subject),
    of.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extensions)),
  );
  const signature = sign('sha256', body, of.signedBy);
  return sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
}

function pem(privateKey: KeyObject, certificate: Buffer): Certificate {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

/** A distinguished name of nothing but a common name. */
function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid([0x55, 0x04, 0x03]), der(0x0c, Buffer.from(commonName)))));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

/** Now, moved by so many days. */
function utcTime(days: number): Buffer {
  const digits = new Date(Date.now() + days * 86_400_000).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
