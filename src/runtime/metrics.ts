/**
 * prom-client's one door: a registry of our own for each process. Asking for a metric that exists already gives the same
 * one, so that a service that is run again counts on. Labels hold names of sinks, tables and states, never values.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricSpec<Label extends string> {
  /** `millrace_` is put before it. Units at the end: `_seconds`, `_bytes`, `_total`. */
  name: string;
  help: string;
  labels?: readonly Label[];
}

export interface Metrics {
  /** `collect` sets the value at the moment somebody asks for it, of what is counted elsewhere. */
  counter<Label extends string = never>(
    spec: MetricSpec<Label> & { collect?: (counter: Counter<Label>) => void | Promise<void> },
  ): Counter<Label>;
  /** `collect` sets the value at the moment somebody asks for it. */
  gauge<Label extends string = never>(
    spec: MetricSpec<Label> & { collect?: (gauge: Gauge<Label>) => void | Promise<void> },
  ): Gauge<Label>;
  histogram<Label extends string = never>(spec: MetricSpec<Label> & { buckets?: readonly number[] }): Histogram<Label>;
  /** A histogram of what is counted elsewhere, asked for at the moment that somebody asks for it. */
  told<Label extends string>(spec: MetricSpec<Label> & ToldSpec<Label>): void;
  /** All metrics as Prometheus' text, and the content type to send it with. */
  render(): Promise<{ contentType: string; text: string }>;
}

export interface ToldSpec<Label extends string> {
  labels: readonly Label[];
  /** The greatest of each bucket but the last. */
  bounds: readonly number[];
  read(): Promise<readonly Told<Label>[]>;
}

export interface Told<Label extends string> {
  labels: Record<Label, string>;
  /** One more than there are bounds. */
  counts: readonly number[];
  sum: number;
}

/** Seconds; from half a millisecond to a minute. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createMetrics(options: { process?: boolean } = {}): Metrics {
  const registry = new Registry();
  if (options.process ?? true) collectDefaultMetrics({ register: registry });
  const registers = [registry];

  function once<Metric>(name: string, kind: new (...args: never[]) => Metric, make: (name: string) => Metric): Metric {
    const full = `millrace_${name}`;
    const found: unknown = registry.getSingleMetric(full);
    if (found === undefined) return make(full);
    if (found instanceof kind) return found;
    throw new TypeError(`the metric ${full} exists already as another kind`);
  }

  return {
    counter<Label extends string>({
      name,
      help,
      labels = [],
      collect,
    }: MetricSpec<Label> & { collect?: (counter: Counter<Label>) => void | Promise<void> }) {
      return once<Counter<Label>>(name, Counter, (full) => {
        const made: Counter<Label> = new Counter({
          name: full,
          help,
          labelNames: labels,
          registers,
          ...(collect === undefined ? {} : { collect: () => collect(made) }),
        });
        return made;
      });
    },
    gauge<Label extends string>({
      name,
      help,
      labels = [],
      collect,
    }: MetricSpec<Label> & { collect?: (gauge: Gauge<Label>) => void | Promise<void> }) {
      return once<Gauge<Label>>(name, Gauge, (full) => {
        const made: Gauge<Label> = new Gauge({
          name: full,
          help,
          labelNames: labels,
          registers,
          ...(collect === undefined ? {} : { collect: () => collect(made) }),
        });
        return made;
      });
    },
    histogram<Label extends string>({
      name,
      help,
      labels = [],
      buckets = BUCKETS,
    }: MetricSpec<Label> & { buckets?: readonly number[] }) {
      return once<Histogram<Label>>(
        name,
        Histogram,
        (full) => new Histogram({ name: full, help, labelNames: labels, buckets: [...buckets], registers }),
      );
    },
    told(spec) {
      if (registry.getSingleMetric(`millrace_${spec.name}`) === undefined)
        registry.registerMetric(new ToldHistogram({ ...spec, name: `millrace_${spec.name}` }));
    },
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** Shows what it is told, and counts nothing itself. */
class ToldHistogram<Label extends string> extends Histogram<Label> {
  readonly #spec: MetricSpec<Label> & ToldSpec<Label>;

  constructor(spec: MetricSpec<Label> & ToldSpec<Label>) {
    super({ name: spec.name, help: spec.help, labelNames: [...spec.labels], buckets: [...spec.bounds], registers: [] });
    this.#spec = spec;
  }

  /** What the registry prints, and what `get` is made of. */
  async getForPromString() {
    const { name, help, bounds, read } = this.#spec;
    const values = (await read()).flatMap(({ labels, counts, sum }) => {
      let upTo = 0;
      const buckets = counts.map((count, place) => {
        upTo += count;
        const le = bounds[place] ?? '+Inf';
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: upTo };
      });
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: upTo },
      ];
    });
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  }
}
