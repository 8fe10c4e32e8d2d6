import type { ChatMessage } from '@x/interfaces';
import type { View } from './view.ts';
export declare function pin(messages: number | ((message: ChatMessage, index: number) => boolean)): View;
