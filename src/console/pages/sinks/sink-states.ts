/** By what the page of all sinks can be narrowed, as addresses have it. */
export const SINK_STATES = ['attention', 'healthy', 'parked', 'paused', 'disabled'] as const;
