/** Email and password for a session: on the page of the login, and over a page whose session has ended. */
import { type FormEvent, useState } from 'react';
import { rememberCsrf } from '../api/client.ts';
import { useCall } from '../api/queries.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { ErrorNote } from './places.tsx';

interface LogInFormProps {
  /** Whoever was logged in before. */
  email?: string;
  /** Somebody is logged in from now on. */
  onDone: (email: string) => void;
}

export function LogInForm({ email: known = '', onDone }: LogInFormProps) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const logIn = useCall('post', '/api/sessions');
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const answer = await logIn.mutateAsync({ body: { email, password } }).catch(() => undefined);
    if (answer === undefined) return;
    rememberCsrf(answer.csrf);
    onDone(email);
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field
        label="Email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        autoComplete="username"
        autoCapitalize="none"
        required
        autoFocus={known === ''}
      />
      <Field
        label="Password"
        type="password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="current-password"
        required
        autoFocus={known !== ''}
      />
      {logIn.error && <ErrorNote error={logIn.error} />}
      <Button look="primary" type="submit" busy={logIn.isPending} className="w-full">
        Log in
      </Button>
    </form>
  );
}
