import type { ChatMessage } from '@x/interfaces';
export declare function paired(messages: readonly ChatMessage[]): readonly ChatMessage[];
