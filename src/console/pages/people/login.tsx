import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { rememberCsrf } from '../../api/client.ts';
import { queryClient, useCall } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { ErrorNote } from '../../parts/places.tsx';
import { Gate } from './gate.tsx';

/** Only a path of ours: an address that somebody was sent must not lead elsewhere. */
const ownPath = (next: string | undefined): string => (next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/');

export function Login() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { next } = useSearch({ from: '/login' });
  const router = useRouter();
  const logIn = useCall('post', '/api/sessions');
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const answer = await logIn.mutateAsync({ body: { email, password } }).catch(() => undefined);
    if (answer === undefined) return;
    rememberCsrf(answer.csrf);
    queryClient.clear();
    router.history.push(ownPath(next));
  };
  return (
    <Gate title="Log in">
      <form onSubmit={submit} className="space-y-4">
        <Field
          label="Email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          autoComplete="username"
          autoCapitalize="none"
          required
          autoFocus
        />
        <Field
          label="Password"
          type="password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="current-password"
          required
        />
        {logIn.error && <ErrorNote error={logIn.error} />}
        <Button look="primary" type="submit" busy={logIn.isPending} className="w-full">
          Log in
        </Button>
      </form>
    </Gate>
  );
}
