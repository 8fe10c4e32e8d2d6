import type { Reply, Run } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type State } from '../memory/state.ts';
import type { ReplyRequest } from './reply-request.ts';
export declare function generateReply(state: State, request: ReplyRequest): Steps<Reply | null>;
export declare function replyInRun(state: State, { messages, sender, exclude }: ReplyRequest, run: Run): Steps<Reply | null>;
