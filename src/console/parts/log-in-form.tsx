/** Email and password for a session: on the page of the login, and over a page whose session has ended. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Answer, type ApiError, call, rememberCsrf } from '../api/client.ts';
import { tellOfLogin } from '../api/logins.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { ErrorNote } from './places.tsx';

interface LogInFormProps {
  /** Whoever was logged in before. */
  email?: string;
  /** Somebody is logged in from now on. */
  onDone: () => unknown;
}

export function LogInForm({ email: known = '', onDone }: LogInFormProps) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  // What is shown is asked anew by whoever is told of it, once it is known whose session this is.
  const logIn = useMutation<Answer<'/api/sessions', 'post'>, ApiError>({
    mutationFn: () => call('post', '/api/sessions', { body: { email, password } }),
    onSuccess({ csrf }) {
      rememberCsrf(csrf);
      tellOfLogin();
      onDone();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    logIn.mutate();
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
