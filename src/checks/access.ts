/** Tokens and sealed secrets, by what is stored of them: no token and no secret is among the facts. */
import { millrace } from '../model/quote.ts';
import { byCommand, byHand, type Finding, notice, warning } from './finding.ts';

export interface AccessFacts {
  /** Names of tokens that can be guessed. */
  weakTokens: readonly string[];
  /** Tokens that end within 14 days: their names and dates. */
  expiring: readonly { name: string; at: string }[];
  /** What was released from the file, which may still have its entry; that one's name, where it is another one. */
  released: readonly { type: string; name: string; entry?: string | null }[];
  /** How many secrets are sealed with another key than the current one. */
  sealedBefore: number;
}

export function checkAccess({ weakTokens, expiring, released, sealedBefore }: AccessFacts): Finding[] {
  const found: Finding[] = [];
  if (weakTokens.length > 0)
    found.push(
      warning(
        'weak_token',
        `${weakTokens.length === 1 ? 'token' : 'tokens'} ${weakTokens.join(', ')} can be guessed: only this machine may use such a token`,
        byHand('Put a random one into `api_tokens` (`openssl rand -base64 32` makes one), and apply the file.'),
      ),
    );
  found.push(
    ...expiring.map(({ name, at }) => ({
      ...warning(
        'expires_soon',
        `token ${name} expires on ${at}`,
        byHand(`Make another one (${millrace('token', 'create')}), give it to its clients, and revoke ${name}.`),
      ),
      item: name,
    })),
    ...released.map(({ type, name, entry }) => ({
      ...notice(
        'declared_but_released',
        `${type.replaceAll('_', ' ')} ${name} was released from the configuration file${entry ? ` as ${entry}` : ''}: an entry that is still there has no effect`,
        byCommand(
          ['adopt', type, name],
          (command) =>
            `Take the entry out of the file, or ${entry ? `call it ${name} and ` : ''}give it effect again: ${command}`,
        ),
      ),
      item: `${type} ${name}`,
    })),
  );
  if (sealedBefore > 0)
    found.push(
      notice(
        'sealed_with_previous',
        `${sealedBefore} ${sealedBefore === 1 ? 'secret is' : 'secrets are'} sealed with a key of SECRET_KEY_PREVIOUS`,
        byCommand(['secret', 'rotate'], (command) => `Run \`${command}\`; then SECRET_KEY_PREVIOUS can go.`),
      ),
    );
  return found;
}
