import type { CodeReader, ChatMessage } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
export type Reading = 'fenced' | 'reference' | 'reference-legacy';
export interface CodeReaderOptions {
    readonly reading?: Reading | undefined;
    readonly inferLang?: ((code: string) => string) | undefined;
}
export declare const CODE_READER_KINDS: OptionKinds<CodeReaderOptions>;
export declare function codeReader(options?: CodeReaderOptions): CodeReader;
export declare function contentText(content: ChatMessage['content']): string;
