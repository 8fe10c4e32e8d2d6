import type { GroupChatTarget, GroupChatTargetOptions } from '../handoff/target.ts';
import type { GroupPattern } from './pattern.ts';
export declare const groupChat: <C extends object>(pattern: GroupPattern<C>, options?: GroupChatTargetOptions) => GroupChatTarget;
