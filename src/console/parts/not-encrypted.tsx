/** Says, before somebody types a password and on every page after that, who can read it. Nothing over TLS, or on this machine. */
import { isLoopbackName } from '../lib/loopback.ts';
import { Note } from './places.tsx';

export function NotEncrypted({ isBar = false }: { isBar?: boolean }) {
  if (location.protocol !== 'http:' || isLoopbackName(location.hostname)) return null;
  return (
    <Note tone="warn" isBar={isBar}>
      This connection is not encrypted: anyone between you and the server can read it and log in as you.
    </Note>
  );
}
