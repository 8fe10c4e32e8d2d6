import type { EventStream, RunOptions } from '@x/interfaces';
import type { GroupPattern } from './pattern/pattern.ts';
import { type FirstMessages, type GroupChatResult, type GroupRunOptions } from './pattern/run-pattern.steps.ts';
type GroupChatRunOptions = GroupRunOptions & RunOptions;
export declare function initiateGroupChat<C extends object>(pattern: GroupPattern<C>, messages: FirstMessages, options?: GroupChatRunOptions): Promise<GroupChatResult<C>>;
export declare function initiateGroupChatSync<C extends object>(pattern: GroupPattern<C>, messages: FirstMessages, options?: Omit<GroupChatRunOptions, 'signal'>): GroupChatResult<C>;
export declare function initiateGroupChatStream<C extends object>(pattern: GroupPattern<C>, messages: FirstMessages, options?: Omit<GroupChatRunOptions, 'emit'>): EventStream<GroupChatResult<C>>;
export {};
