import type { ChatMessage, EventStream, RunTracer } from '@x/interfaces';
import type { Records } from '@x/records';
export interface StudioAgent {
    runStream(messages: readonly ChatMessage[], options: {
        readonly signal: AbortSignal;
        readonly tracer?: RunTracer;
    }): EventStream<{
        readonly messages: readonly ChatMessage[];
        readonly text: string;
    }>;
}
export declare class Chats {
    #private;
    constructor(agents: Readonly<Record<string, StudioAgent>>, records: Records | null);
    answer(name: string, { text, chat }: Readonly<Record<string, unknown>>, signal: AbortSignal): Response;
}
