import { type FakeOpenAI, type OpenAIServerOptions } from './fake-openai.ts';
export interface FakeOpenAIOptions extends OpenAIServerOptions {
    readonly thread?: boolean | undefined;
}
export declare function startFakeOpenAI(given?: FakeOpenAIOptions): Promise<FakeOpenAI>;
