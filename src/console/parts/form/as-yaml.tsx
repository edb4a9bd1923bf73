/** What a form says, as an entry of the file: the API writes it. */
import type { ReactNode } from 'react';
import { AsText } from '../as-text.tsx';
import { ErrorNote, Skeleton } from '../places.tsx';
import type { Planned } from './plan.ts';

interface AsYamlProps {
  planned: Planned;
  /** What is to be known of it. */
  children: ReactNode;
  /** While there is none: what to fill in. */
  first?: string;
  /** What else belongs to it. */
  completed?: (yaml: string) => string;
}

const asItIs = (yaml: string): string => yaml;

export function AsYaml({ planned: { plan, error, isOld }, children, first, completed = asItIs }: AsYamlProps) {
  return (
    <AsText title="As YAML" name="YAML" text={plan && !isOld ? () => completed(plan.yaml) : undefined}>
      {plan && <p>{children}</p>}
      {error && <ErrorNote error={error} />}
      {isOld && <Skeleton />}
      {!plan && !error && !isOld && first !== undefined && <p>{first}</p>}
    </AsText>
  );
}
