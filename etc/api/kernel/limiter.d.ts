export { monotonicNow } from './clock.ts';
export { checkLimits } from './check-limits.ts';
export { MemoryRecords } from './memory-records.ts';
export { RecordLimiter, type LimitsByModel, type RecordLimiterOptions } from './record-limiter.ts';
