/** What a sink is called, and what else is said of it. */
import { FigureKey, More, PairsKey, TextKey, WordKey } from '../../../parts/form/controls.tsx';

export function NamePart({ proposed, withStatus }: { proposed?: string; withStatus: boolean }) {
  return (
    <div>
      <div className="max-w-md">
        <TextKey path="name" label="Name" placeholder={proposed} hint="Used in addresses, metrics and alerts" />
      </div>
      <More label="Start, retries, annotations">
        {withStatus && (
          <WordKey
            path="status"
            label="Initial status"
            words={['active', 'paused', 'disabled']}
            hint="Paused: messages wait. Disabled: nothing is kept"
          />
        )}
        <FigureKey
          path="max_retry_count"
          label="Most retries"
          hint="After that a message is parked. Leave empty to retry forever"
        />
        <PairsKey
          path="annotations"
          label="Annotations"
          hint="One per line, such as owner: billing. Messages carry them"
        />
      </More>
    </div>
  );
}
