import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of this machine; undefined: there is none. */
export const CHROMIUM = [process.env.MILLRACE_CHROMIUM ?? '', ...PLACES].find(
  (file) => file !== '' && existsSync(file),
);
