import { type FakeOpenAI, type FakeOpenAIOptions } from './fake-openai.ts';
export interface StartFakeOpenAIOptions extends FakeOpenAIOptions {
    readonly thread?: boolean | undefined;
}
export declare function startFakeOpenAI({ thread, ...options }?: StartFakeOpenAIOptions): Promise<FakeOpenAI>;
