export type TerminationReason = 'termination-message' | 'answered' | 'result' | 'max-turns' | 'max-consecutive-auto-reply' | 'human-exit' | 'no-reply' | 'budget' | 'suspended';
