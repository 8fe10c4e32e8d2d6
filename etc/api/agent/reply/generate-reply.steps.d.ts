import type { Reply } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type State } from '../memory/state.ts';
import type { ReplyRequest } from './reply-request.ts';
export declare function generateReply(state: State, { messages, sender, exclude }: ReplyRequest): Steps<Reply | null>;
