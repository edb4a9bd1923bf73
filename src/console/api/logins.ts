/** Tabs share one session: where somebody logs in in one of them, the others have another session, and maybe another person. */

/** None in browsers that have no such thing: there a tab learns it when it is loaded anew. */
const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('millrace-logins') : null;

export const tellOfLogin = (): void => tabs?.postMessage(null);

/** In another tab. */
export function followLogins(told: () => void): () => void {
  tabs?.addEventListener('message', told);
  return () => tabs?.removeEventListener('message', told);
}
