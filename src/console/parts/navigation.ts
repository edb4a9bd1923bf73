/** The pages of the day, in the order of the header; each has its place here with its first route. */
export const NAVIGATION: readonly { to: string; label: string }[] = [
  { to: '/', label: 'Overview' },
  { to: '/databases', label: 'Databases' },
  { to: '/sinks', label: 'Sinks' },
  { to: '/functions', label: 'Functions' },
  { to: '/change-retentions', label: 'Retentions' },
  { to: '/operations', label: 'Operations' },
];

/** Behind a person's name. */
export const PERSONAL: readonly { to: string; label: string }[] = [
  { to: '/account', label: 'My account' },
  { to: '/users', label: 'Users' },
  { to: '/tokens', label: 'Tokens' },
  { to: '/audit', label: 'Audit log' },
  { to: '/doctor', label: 'Doctor' },
  { to: '/settings', label: 'Service' },
];
