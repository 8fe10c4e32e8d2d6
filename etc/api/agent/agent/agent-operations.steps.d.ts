import type { Agent, ChatOptions, ChatResult, Reply } from '@x/interfaces';
import type { Steps } from '@x/kernel';
import type { ReplyRequest } from '../options/operations.ts';
import type { ReplyAdditions } from '../options/reply-additions.ts';
export declare const initiateChat: (initiator: Agent, recipient: Agent, options?: ChatOptions) => Steps<ChatResult>;
export declare const generateReply: (agent: Agent, request: ReplyRequest, additions?: ReplyAdditions) => Steps<Reply | null>;
