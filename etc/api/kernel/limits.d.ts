export { RecordBudget } from './limits/record-budget.ts';
export { checkLimits, RecordLimiter, type LimitsByModel } from './limits/record-limiter.ts';
export { MemoryRecords } from './limits/record-updater.ts';
export { reserveInBoth } from './limits/reserve-in-both.ts';
