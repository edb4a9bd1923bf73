/** What stands around every page: where one is, how all is in one glance, how old that is, and the switches of this browser. */
import { Menu } from '@base-ui/react/menu';
import { PauseIcon, PersonIcon, PlayIcon } from '@primer/octicons-react';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { type ApiError, call, rememberCsrf } from '../api/client.ts';
import { useOverview } from '../api/overview.ts';
import { togglePaused, usePaused } from '../api/paused.ts';
import { usePerson } from '../api/person.ts';
import { queryClient } from '../api/queries.ts';
import { switchZone, useOwnNow, useZone } from '../lib/clock.ts';
import { instant, span } from '../lib/format.ts';
import { chooseTheme, type Theme, useTheme } from '../lib/theme.ts';
import { Brand } from './brand.tsx';
import { Find } from './find.tsx';
import { Badge } from './icons.tsx';
import { KeysHelp, useKeys } from './keys.tsx';
import { NAVIGATION, PERSONAL } from './navigation.ts';
import { NotEncrypted } from './not-encrypted.tsx';
import { PageAnnouncement, useActiveInSight } from './page.tsx';
import { Note } from './places.tsx';
import { say } from './toast.tsx';

const LINK =
  'inline-flex items-center gap-1.5 rounded-md px-2 py-1 text-sm font-medium text-muted hover:bg-idle-bg hover:text-text pointer-coarse:min-h-11';

export function Shell() {
  const overview = useOverview();
  const { data } = overview;
  useKeys({ p: togglePaused });
  const nav = useActiveInSight();
  const header = useHeaderHeight();
  const attention = data?.attention_count ?? 0;
  const running = data?.operations.filter(({ state }) => state === 'running' || state === 'waiting').length ?? 0;
  const badges: Record<string, ReactNode> = {
    '/': attention > 0 && <Badge tone={data?.attention[0]?.status === 'error' ? 'danger' : 'warn'}>{attention}</Badge>,
    '/operations': running > 0 && <Badge>{running}</Badge>,
  };
  return (
    <div className="flex min-h-dvh flex-col">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2">
        Skip to content
      </a>
      <header
        ref={header}
        className="sticky top-0 z-30 short:static flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-surface px-4 py-1.5 sm:px-6"
      >
        <Link to="/" className="inline-flex">
          <Brand />
        </Link>
        <nav
          aria-label="Pages"
          ref={nav}
          className="order-last -mx-1 flex min-w-0 basis-full overflow-x-auto lg:order-none lg:basis-auto max-lg:[mask-image:linear-gradient(to_right,black_calc(100%-2rem),transparent)] max-lg:pr-6"
        >
          {NAVIGATION.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              className={LINK}
              activeOptions={{ exact: to === '/' }}
              activeProps={{ className: '!text-text bg-idle-bg', 'aria-current': 'page' }}
            >
              {label}
              {badges[to]}
            </Link>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-1">
          <Find />
          <Age at={overview.dataUpdatedAt} />
          <ZoneSwitch />
          <PersonMenu />
        </div>
      </header>
      <Banner query={overview} />
      <div className="flex-1">
        <Outlet />
      </div>
      <KeysHelp />
      <PageAnnouncement />
    </div>
  );
}

/** As `--header`: how much of the window the header takes, under which nothing else may stay. */
function useHeaderHeight() {
  const header = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = header.current;
    if (element === null) return;
    const look = (): void => {
      const tall = getComputedStyle(element).position === 'sticky' ? element.offsetHeight : 0;
      document.documentElement.style.setProperty('--header', `${tall}px`);
    };
    look();
    const watch = new ResizeObserver(look);
    watch.observe(element);
    watch.observe(document.documentElement);
    return () => watch.disconnect();
  }, []);
  return header;
}

function Age({ at }: { at: number }) {
  const now = useOwnNow();
  const paused = usePaused();
  const Icon = paused ? PlayIcon : PauseIcon;
  const age = at === 0 ? '' : `${span(Math.max(0, Math.round((now - at) / 1_000)))} ago`.replace(/^0 ms ago$/, 'now');
  return (
    <button
      type="button"
      className={LINK}
      onClick={togglePaused}
      aria-pressed={paused}
      title={paused ? 'Resume refreshing (p)' : 'Pause refreshing (p)'}
    >
      <span className="inline-block min-w-14 text-right tabular-nums">{paused ? `paused ${age}` : age}</span>
      <Icon size={14} aria-hidden />
      <span className="sr-only">{paused ? 'Resume refreshing' : 'Pause refreshing'}</span>
    </button>
  );
}

function ZoneSwitch() {
  const zone = useZone();
  return (
    <button type="button" className={LINK} onClick={switchZone} title="Times in UTC, or in your local time zone">
      {zone === 'utc' ? 'UTC' : 'Local'}
    </button>
  );
}

/** Says that nobody answers, since when; and what is wrong with the way here. */
function Banner({ query }: { query: ReturnType<typeof useOverview> }) {
  const zone = useZone();
  const { error, dataUpdatedAt } = query;
  return (
    <>
      {error?.status === 0 && (
        <Note tone="danger" live isBar>
          No answer since{' '}
          {dataUpdatedAt === 0
            ? 'this page was opened'
            : instant(new Date(dataUpdatedAt), zone, { millis: false, day: false })}
          . Retrying automatically.
        </Note>
      )}
      <NotEncrypted isBar />
    </>
  );
}

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const ITEM =
  'flex w-full items-center rounded-md px-3 py-1.5 text-left text-base outline-none data-highlighted:bg-idle-bg';

function PersonMenu() {
  const { who } = usePerson();
  const theme = useTheme();
  const navigate = useNavigate();
  const leave = async (): Promise<void> => {
    const refused = await call('delete', '/api/sessions/{id}', { path: { id: 'current' } }).then(
      () => null,
      (error: ApiError) => error,
    );
    // Whoever walks away now must not leave a session behind.
    if (refused !== null && refused.status !== 401) return say(`You are still logged in: ${refused.message}`);
    rememberCsrf(null);
    queryClient.clear();
    await navigate({ to: '/login' });
  };
  const name = who?.user?.name ?? who?.user?.email ?? '';
  return (
    <Menu.Root>
      <Menu.Trigger className={LINK}>
        <PersonIcon size={14} aria-hidden />
        <span className="max-w-40 truncate max-sm:sr-only">{name}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} className="z-50">
          <Menu.Popup className="min-w-48 rounded-md border border-line bg-raised p-1 text-text shadow-raised">
            {PERSONAL.map(({ to, label }) => (
              <Menu.Item key={to} className={ITEM} render={<Link to={to} />}>
                {label}
              </Menu.Item>
            ))}
            <Menu.Separator className="my-1 border-t border-line" />
            <Menu.RadioGroup value={theme} onValueChange={(next) => chooseTheme(next as Theme)}>
              {THEMES.map((one) => (
                <Menu.RadioItem key={one} value={one} className={ITEM}>
                  <span aria-hidden className="w-5">
                    {theme === one ? '✓' : ''}
                  </span>
                  {one === 'system' ? 'System theme' : one === 'light' ? 'Light' : 'Dark'}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 border-t border-line" />
            <Menu.Item className={ITEM} onClick={() => void leave()}>
              Log out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
