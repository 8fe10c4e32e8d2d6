export type TerminationReason = 'termination-message' | 'max-turns' | 'max-consecutive-auto-reply' | 'human-exit' | 'no-reply' | 'budget' | 'suspended';
