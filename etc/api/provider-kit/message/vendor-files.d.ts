import type { ChatMessage } from '@x/interfaces';
export declare function ownFiles(content: ChatMessage['content'], names: readonly string[], warn: (topic: string, text: string) => void): ChatMessage['content'];
