import type { DefinedChat } from './defined-chat.ts';
export interface Schedule {
    readonly cron: string;
    readonly timeZone?: string | undefined;
    readonly missed?: 'last' | 'all' | 'skip' | undefined;
}
export declare function every<I>(when: string | Schedule | ((input: I) => string | Schedule), chat: DefinedChat<I>): DefinedChat<I, null>;
