import type { ThinkerReply } from './reply-parts.ts';
export declare function readThinkerReply(reply: string): ThinkerReply;
