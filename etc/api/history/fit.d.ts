import type { FittedHistory, View } from './views/view.ts';
export declare function fit(...views: readonly View[]): FittedHistory;
