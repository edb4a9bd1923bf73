/** Tokens and sealed secrets, by what is stored of them: no token and no secret is among the facts. */
import { byCommand, byHand, type Finding, notice, warning } from './finding.ts';

export interface AccessFacts {
  /** Names of tokens that can be guessed. */
  weakTokens: readonly string[];
  /** How many secrets are sealed with another key than the current one. */
  sealedBefore: number;
}

export function checkAccess({ weakTokens, sealedBefore }: AccessFacts): Finding[] {
  const found: Finding[] = [];
  if (weakTokens.length > 0)
    found.push(
      warning(
        'weak_token',
        `${weakTokens.length === 1 ? 'token' : 'tokens'} ${weakTokens.join(', ')} can be guessed: only this machine may use such a token`,
        byHand('Put a random one into `api_tokens` (`openssl rand -base64 32` makes one), and apply the file.'),
      ),
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
