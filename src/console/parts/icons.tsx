/** One word and one shape for each state, never a colour alone. */
import {
  AlertIcon,
  ArrowUpRightIcon,
  BlockedIcon,
  CheckCircleIcon,
  CircleIcon,
  CircleSlashIcon,
  ClockIcon,
  DashIcon,
  InboxIcon,
  InfoIcon,
  IssueTrackedByIcon,
  LockIcon,
  PauseIcon,
  PlayIcon,
  QuestionIcon,
  StopIcon,
  SyncIcon,
  UnlinkIcon,
  XCircleIcon,
} from '@primer/octicons-react';
import { type ComponentType, createContext, use } from 'react';

type Icon = ComponentType<{ size?: number; className?: string; 'aria-hidden'?: boolean }>;
export type Tone = 'ok' | 'warn' | 'danger' | 'idle';

interface Shape {
  word: string;
  icon: Icon;
  tone: Tone;
}

/** By what the API calls it. */
const SHAPES: Record<string, Shape> = {
  // Sinks and databases.
  healthy: { word: 'OK', icon: CheckCircleIcon, tone: 'ok' },
  ok: { word: 'OK', icon: CheckCircleIcon, tone: 'ok' },
  behind: { word: 'Behind', icon: ClockIcon, tone: 'warn' },
  warning: { word: 'Warning', icon: ClockIcon, tone: 'warn' },
  failing: { word: 'Failing', icon: AlertIcon, tone: 'danger' },
  error: { word: 'Failing', icon: AlertIcon, tone: 'danger' },
  source_down: { word: 'Source down', icon: UnlinkIcon, tone: 'danger' },
  paused: { word: 'Paused', icon: PauseIcon, tone: 'idle' },
  disabled: { word: 'Disabled', icon: CircleSlashIcon, tone: 'idle' },
  unknown: { word: 'Unknown', icon: QuestionIcon, tone: 'warn' },
  starting: { word: 'Starting', icon: IssueTrackedByIcon, tone: 'idle' },
  needs_resync: { word: 'Needs resync', icon: StopIcon, tone: 'danger' },
  not_captured: { word: 'Not captured', icon: CircleIcon, tone: 'idle' },
  // Messages.
  waiting: { word: 'Waiting', icon: CircleIcon, tone: 'idle' },
  leased: { word: 'Leased', icon: ArrowUpRightIcon, tone: 'idle' },
  retrying: { word: 'Retrying', icon: SyncIcon, tone: 'warn' },
  held: { word: 'Held', icon: LockIcon, tone: 'warn' },
  parked: { word: 'Parked', icon: InboxIcon, tone: 'danger' },
  // Operations.
  running: { word: 'Running', icon: PlayIcon, tone: 'idle' },
  done: { word: 'Done', icon: CheckCircleIcon, tone: 'ok' },
  failed: { word: 'Failed', icon: XCircleIcon, tone: 'danger' },
  cancelled: { word: 'Cancelled', icon: BlockedIcon, tone: 'idle' },
  // Checks.
  notice: { word: 'Notice', icon: InfoIcon, tone: 'idle' },
  check_error: { word: 'Error', icon: AlertIcon, tone: 'danger' },
  skipped: { word: 'Skipped', icon: DashIcon, tone: 'idle' },
};

export const shapeOf = (state: string): Shape => SHAPES[state] ?? { word: state, icon: QuestionIcon, tone: 'warn' };

const TONES: Record<Tone, string> = { ok: 'text-ok', warn: 'text-warn', danger: 'text-danger', idle: 'text-muted' };
export const BACKGROUNDS: Record<Tone, string> = {
  ok: 'bg-ok-bg text-ok',
  warn: 'bg-warn-bg text-warn',
  danger: 'bg-danger-bg text-danger',
  idle: 'bg-idle-bg text-muted',
};

/** What somebody sees of long ago, because nobody has answered since. */
export const OldContext = createContext(false);

/** How something is now, which nobody can say of long ago. What has ended, and what somebody chose, stays so. */
const PASSING = new Set([
  ...[
    'healthy',
    'ok',
    'behind',
    'warning',
    'failing',
    'error',
    'source_down',
    'starting',
    'needs_resync',
    'not_captured',
  ],
  ...['running', 'check_error'],
]);

interface StateProps {
  state: string;
  /** Another one than that of the state. */
  word?: string;
  /** What the API calls its cause, behind the word. */
  code?: string | null;
  /** A sentence rather than a word: it may break. */
  isLong?: boolean;
}

export function State({ isLong = false, ...given }: StateProps) {
  const isUnknown = use(OldContext) && PASSING.has(given.state);
  const { state, word, code }: Omit<StateProps, 'isLong'> = isUnknown ? { state: 'unknown' } : given;
  const { word: usual, icon: Shape, tone } = shapeOf(state);
  return (
    <span
      className={`inline-flex min-w-0 items-center gap-1.5 align-top ${isLong ? '' : 'whitespace-nowrap'} ${TONES[tone]}`}
    >
      <Shape size={14} className="shrink-0" aria-hidden />
      <span className={`min-w-0 font-medium ${isLong ? 'break-words' : ''}`}>{word ?? usual}</span>
      {code != null && <span className="font-mono text-xs">{code}</span>}
    </span>
  );
}

/** A count in a tone, as beside a tab. */
export function Badge({ tone = 'idle', children }: { tone?: Tone; children: React.ReactNode }) {
  return <span className={`rounded-md px-1.5 text-xs font-medium tabular-nums ${BACKGROUNDS[tone]}`}>{children}</span>;
}
