import type { AgUiEvent } from './ag-ui-event.ts';
import { type AgUiOptions } from './ag-ui-writer.ts';
import { type RunEvents } from './written-run.ts';
export declare function toAgUi(events: RunEvents, options: AgUiOptions): AsyncIterableIterator<AgUiEvent>;
