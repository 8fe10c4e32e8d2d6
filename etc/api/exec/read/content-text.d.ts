import type { ChatMessage } from '@x/interfaces';
export declare function contentText(content: ChatMessage['content']): string;
