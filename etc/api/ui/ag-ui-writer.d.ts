import type { XEvent } from '@x/interfaces';
import type { AgUiEvent, AgUiMessage } from './ag-ui-event.ts';
import { RunPlaces } from './run-places.ts';
import type { UiError } from './ui-message-chunk.ts';
import { type RunWriter, type RunWriting } from './written-run.ts';
export interface AgUiInput {
    readonly threadId: string;
    readonly runId: string;
    readonly messages: readonly AgUiMessage[];
    readonly cursor: string | undefined;
}
export interface AgUiOptions extends RunWriting {
    readonly input: AgUiInput;
}
export declare class AgUiWriter implements RunWriter<AgUiEvent> {
    #private;
    readonly run: RunPlaces;
    constructor(options: AgUiOptions);
    add(event: XEvent, cursor: string | null, signature: string | null): AgUiEvent[];
    end(error: UiError | null): AgUiEvent[];
}
