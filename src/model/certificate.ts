/** Certificates of authorities in PEM form, as they are given to verify servers by. */
import { X509Certificate } from 'node:crypto';

const BLOCKS = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----.*?-----END (?:TRUSTED )?CERTIFICATE-----/gs;

/** The text with line breaks where `\n` is written out, as variables often have it; undefined if it is no certificate. */
export function readCertificates(text: string): string | undefined {
  const pem = text.replaceAll('\\n', '\n');
  const blocks = pem.match(BLOCKS) ?? [];
  return blocks.length > 0 && blocks.every(isCertificate) ? pem : undefined;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
