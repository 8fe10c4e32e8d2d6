import { type ManagerRole } from '@x/agent/steps';
import type { ChatMessage, EventBody, LlmConfig, Model } from '@x/interfaces';
import { type Group } from './group.ts';
import { type GroupChatOptions, type GroupSettings } from './group-options.ts';
import type { Followers } from './transitions.ts';
export interface GroupState {
    readonly group: Group;
    readonly settings: GroupSettings;
    readonly followers: Followers;
    messages: ChatMessage[];
    isIntroduced: boolean;
    running: boolean;
    selector: SelectorModel | null;
    readonly warned: Set<string>;
}
export interface SelectorModel {
    readonly config: LlmConfig;
    readonly model: Model;
    readonly ownUsage: boolean;
}
export declare const groupStateOf: (group: Group) => GroupState;
export declare function createGroupState(options: GroupChatOptions): GroupState;
export declare const createManagerRole: (state: GroupState) => ManagerRole;
export declare function warningOnce(state: GroupState, agent: string | null, text: string): EventBody | null;
export declare function report({ settings: { io, agents } }: GroupState, event: EventBody): void;
