import type { HistoryView } from '@x/interfaces';
import type { View } from './views/view.ts';
export interface FittedHistory extends HistoryView {
    readonly views: readonly View[];
}
