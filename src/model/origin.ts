/** Scheme, host and port of an address: whom a credential is told to. Of what is no address the text itself. */
export function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : text;
}
