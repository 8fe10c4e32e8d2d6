import type { LoggedRequest } from '../http-log.ts';
import { type ScriptedReplies } from '../server-script.ts';
import { type ChatRequest } from './chat-request.ts';
export interface FakeOpenAIOptions extends ScriptedReplies<ChatRequest> {
    readonly strict?: boolean | undefined;
    readonly apiKey?: string | undefined;
    readonly port?: number | undefined;
}
export interface FakeOpenAI extends AsyncDisposable {
    readonly url: string;
    readonly origin: string;
    readonly requests: readonly LoggedRequest[];
    requested(count: number): Promise<void>;
    idle(): Promise<void>;
    assertComplete(): void;
    close(): Promise<void>;
}
export declare function listenAsOpenAI({ strict, apiKey, port, ...script }: FakeOpenAIOptions): Promise<FakeOpenAI>;
