import type { ConversableAgent } from '@x/agent';
import type { Agent } from '@x/interfaces';
import { type SpeakerTransitions } from './group.ts';
export type Followers = ReadonlyMap<Agent, readonly ConversableAgent[]>;
export interface TransitionOptions {
    readonly agents: readonly ConversableAgent[];
    readonly allowRepeatSpeaker: boolean | readonly Agent[] | null;
    readonly transitions: SpeakerTransitions | null;
    readonly type: string | null;
}
export declare function readFollowers({ agents, allowRepeatSpeaker, transitions, type }: TransitionOptions): Followers;
export declare function transitionWarnings(agents: readonly ConversableAgent[], allowed: Followers): string[];
