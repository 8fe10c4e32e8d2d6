import type { FittedHistory } from './fitted-history.ts';
import type { View } from './views/view.ts';
export declare function fit(...views: readonly View[]): FittedHistory;
