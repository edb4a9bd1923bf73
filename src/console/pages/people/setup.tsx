import { Link, useRouter } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { rememberCsrf } from '../../api/client.ts';
import { queryClient, useCall } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Mono } from '../../parts/code.tsx';
import { Field } from '../../parts/field.tsx';
import { ErrorNote } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { Gate } from './gate.tsx';

/** What stands behind `#` goes to no server, so it is in no log; it leaves the address bar and the history at once. */
function takeToken(): string {
  const taken = new URLSearchParams(location.hash.slice(1)).get('k') ?? '';
  if (taken !== '') history.replaceState(history.state, '', location.pathname);
  return taken;
}
const first = takeToken();

export function Setup() {
  const [token, setToken] = useState(first);
  useEffect(() => {
    // The link may be put into the address bar of this very page: that loads nothing anew.
    const take = (): void => setToken((old) => takeToken() || old);
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const router = useRouter();
  const setUp = useCall('post', '/api/setup');
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const answer = await setUp.mutateAsync({ body: { token, email, password } }).catch(() => undefined);
    if (answer === undefined) return;
    rememberCsrf(answer.csrf);
    queryClient.clear();
    router.history.push('/');
  };
  if (token === '') {
    return (
      <Gate title="Choose a password">
        <p className="mb-3">
          Open the whole link that Millrace prints when it starts: it ends with <Mono>#k=</Mono> and a token.
        </p>
        <Link to="/login" className="text-accent hover:underline">
          I already have a password
        </Link>
      </Gate>
    );
  }
  return (
    <Gate title="Choose a password">
      <form onSubmit={submit} className="space-y-4">
        <Field
          label="Email"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          autoComplete="username"
          errors={fieldErrors(setUp.error, 'email')}
          required
          autoFocus
        />
        <Field
          label="Password"
          type="password"
          hint="8 characters or more"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="new-password"
          minLength={8}
          errors={fieldErrors(setUp.error, 'password')}
          required
        />
        {setUp.error && Object.keys(setUp.error.fields).length === 0 && <ErrorNote error={setUp.error} />}
        <Button look="primary" type="submit" busy={setUp.isPending} className="w-full">
          Create account
        </Button>
      </form>
    </Gate>
  );
}
