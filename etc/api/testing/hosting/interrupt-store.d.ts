import type { ChatStore } from '@x/interfaces';
export type StorePoint = 'after-claim' | 'before-append' | 'after-append' | 'before-finish' | 'after-finish';
export declare function interruptStore(store: ChatStore, point: StorePoint, interrupt: (times: number) => void | Promise<void>): ChatStore;
