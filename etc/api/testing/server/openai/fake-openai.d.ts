import { type HttpShell } from '../http-shell.ts';
import { type ScriptedReplies } from '../server-script.ts';
import { type ChatRequest } from './chat-request.ts';
export interface OpenAIServerOptions extends ScriptedReplies<ChatRequest> {
    readonly strict?: boolean | undefined;
    readonly apiKey?: string | undefined;
    readonly port?: number | undefined;
}
export interface FakeOpenAI extends HttpShell {
    readonly url: string;
    assertComplete(): void;
}
export declare function listenAsOpenAI({ strict, apiKey, port, ...script }: OpenAIServerOptions): Promise<FakeOpenAI>;
