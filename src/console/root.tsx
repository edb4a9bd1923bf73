/** The routes that everything hangs under: `root` has nothing around it, `inside` is for who has logged in. */
import { createRootRoute, createRoute, Link, Outlet, redirect, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { ApiError, call, isOutdated, rememberCsrf } from './api/client.ts';
import { followLogins } from './api/logins.ts';
import { askOverview, useOverview } from './api/overview.ts';
import { PersonContext, personOf, type Who } from './api/person.ts';
import { queryClient } from './api/queries.ts';
import { keepDraftsOf } from './lib/drafts.ts';
import { Button } from './parts/button.tsx';
import { EndedSession } from './parts/ended-session.tsx';
import { Page } from './parts/page.tsx';
import { ErrorNote } from './parts/places.tsx';
import { Shell } from './parts/shell.tsx';
import { Toasts } from './parts/toast.tsx';

export const root = createRootRoute({
  component: () => (
    <Toasts>
      <Outlet />
    </Toasts>
  ),
  errorComponent: Failed,
});

/** Whoever is not logged in goes to the login, and comes back. */
export const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  async beforeLoad({ location }): Promise<{ who: Who | null }> {
    // Every page shows it: it is not waited for who looks.
    askOverview();
    try {
      const who = await call('get', '/api/whoami');
      rememberCsrf(who.csrf);
      keepDraftsOf(who.user?.id ?? '');
      return { who };
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        throw redirect({ to: '/login', search: { next: location.href } });
      // The pages say that nobody answers, and go on when somebody does.
      return { who: null };
    }
  },
  component: Inside,
});

function Inside() {
  const { who } = inside.useRouteContext();
  const { error, isSuccess, isError, dataUpdatedAt } = useOverview();
  const router = useRouter();
  const isEnded = isError && error.status === 401;
  // The login comes to the page where somebody was logged in; whoever could not be asked who they are is asked once somebody answers.
  const email = who?.user?.email;
  const isUnknown = (isEnded && email === undefined) || (isSuccess && who === null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each answer it is tried again
  useEffect(() => {
    if (isUnknown) void router.invalidate();
  }, [isUnknown, dataUpdatedAt, router]);
  // The login stays until it is known who is there now: also where somebody has logged in in another tab.
  const [isOver, setOver] = useState(false);
  if (isEnded && email !== undefined && !isOver) setOver(true);
  const goOn = useCallback(async (): Promise<void> => {
    const now = await call('get', '/api/whoami').catch(() => null);
    if (now === null) return;
    // Somebody else may do other things, and is not shown what this one has typed.
    if (now.user?.email !== email) return location.reload();
    rememberCsrf(now.csrf);
    setOver(false);
    void queryClient.invalidateQueries();
    void router.invalidate();
  }, [email, router]);
  useEffect(() => (email === undefined ? undefined : followLogins(goOn)), [email, goOn]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each answer it is tried again
  useEffect(() => {
    if (isOver && isSuccess) void goOn();
  }, [isOver, isSuccess, dataUpdatedAt, goOn]);
  return (
    <PersonContext value={personOf(who)}>
      <Shell />
      {isOver && email !== undefined && <EndedSession email={email} onDone={goOn} />}
    </PersonContext>
  );
}

/** Whatever no other route is. */
export const anywhere = createRoute({
  getParentRoute: () => inside,
  path: '$',
  component: () => (
    <Page title="Page not found">
      <p>
        Nothing is at this address. Find anything by its name with <kbd className="font-mono text-sm">Ctrl K</kbd>, or{' '}
        <Link to="/" className="text-accent underline">
          go to the overview
        </Link>
        .
      </p>
    </Page>
  ),
});

/** A fault of ours: the page can be tried again. Or a newer console has not the part of it that was wanted: that one is loaded. */
function Failed({ error }: { error: unknown }) {
  const router = useRouter();
  return (
    <Page title="Something went wrong on this page">
      {error instanceof ApiError ? (
        <ErrorNote error={error} />
      ) : (
        <p className="font-mono text-sm">{error instanceof Error ? error.message : String(error)}</p>
      )}
      <p className="mt-3">
        <Button onClick={() => (isOutdated() ? location.reload() : void router.invalidate())}>Try again</Button>
      </p>
    </Page>
  );
}
