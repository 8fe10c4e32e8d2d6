export { chaos } from './chaos.ts';
export { chatQueueContract } from './chat-queue-contract.ts';
export { chatStoreContract } from './chat-store-contract.ts';
export { eventLogContract } from './event-log-contract.ts';
export { failCalls } from './fail-calls.ts';
export { interruptStore, type StorePoint } from './interrupt-store.ts';
export { limiterContract } from './limiter-contract.ts';
export { recordStoreContract } from './record-store-contract.ts';
export { sharedBudgetContract } from './shared-budget-contract.ts';
