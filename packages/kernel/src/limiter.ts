/** For packages that limit calls, by records of their own or shared ones. */
export { monotonicNow } from './record-limiter.ts'
export { checkLimits } from './record-limiter.ts'
export { MemoryRecords } from './record-limiter.ts'
export { RecordLimiter, type LimitsByModel, type RecordLimiterOptions } from './record-limiter.ts'
