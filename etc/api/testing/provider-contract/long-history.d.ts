import type { ChatMessage } from '@x/interfaces';
export declare function longHistory(): ChatMessage[];
