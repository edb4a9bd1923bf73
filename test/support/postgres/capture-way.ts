/** With `MILLRACE_TEST_CAPTURE=triggers` the suites capture their sources by triggers, where a test does not say otherwise. */
export const BY_TRIGGERS = process.env.MILLRACE_TEST_CAPTURE === 'triggers';
