import { useRouter, useSearch } from '@tanstack/react-router';
import { queryClient } from '../../api/queries.ts';
import { LogInForm } from '../../parts/log-in-form.tsx';
import { Gate } from './gate.tsx';

/** Only a path of ours: an address that somebody was sent must not lead elsewhere. */
const ownPath = (next: string | undefined): string => (next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/');

export function Login() {
  const { next } = useSearch({ from: '/login' });
  const router = useRouter();
  const goOn = (): void => {
    queryClient.clear();
    router.history.push(ownPath(next));
  };
  return (
    <Gate title="Log in">
      <LogInForm onDone={goOn} />
    </Gate>
  );
}
