/** The tabs of a sink, in their order. Each has its place here with its route, a child of `sinkRoute`. */
export const SINK_TABS: readonly { to: string; label: string }[] = [
  { to: '/sinks/$sink/overview', label: 'Overview' },
  { to: '/sinks/$sink/messages', label: 'Messages' },
  { to: '/sinks/$sink/function', label: 'Function' },
  { to: '/sinks/$sink/backfills', label: 'Backfills' },
  { to: '/sinks/$sink/verify', label: 'Verify' },
  { to: '/sinks/$sink/trace', label: 'Trace' },
  { to: '/sinks/$sink/settings', label: 'Settings' },
];
