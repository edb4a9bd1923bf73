/**
 * Mocha's list of tests, with what went wrong below each that failed: a run that is ended, or whose report is cut, has
 * said it by then.
 */
import Mocha from 'mocha';

const { constants } = Mocha.Runner;

export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(constants.EVENT_TEST_FAIL, (test: Mocha.Runnable, error: Error) => {
      Mocha.reporters.Base.consoleLog('failed: %s\n%s', test.fullTitle(), error.stack ?? error);
    });
  }
}
