export { chaos, type ChaosOptions, type ChaosReport } from './chaos.ts';
export { chatQueueContract } from './chat-queue-contract.ts';
export { chatStoreContract } from './chat-store-contract.ts';
export { eventLogContract } from './event-log-contract.ts';
export { interruptStore, type StorePoint } from './interrupt-store.ts';
export type { HostingContract } from './hosting-contract.ts';
