import type { ChatMessage } from '@x/interfaces';
import type { AgUiInput } from './ag-ui-writer.ts';
import { type PageDecisions, type UiRequestOptions } from './page-request.ts';
export interface AgUiRequest extends PageDecisions {
    readonly message: ChatMessage | null;
    readonly input: AgUiInput;
    readonly offeredTools: readonly string[];
}
export declare function fromAgUi(body: unknown, options?: UiRequestOptions): Promise<AgUiRequest>;
