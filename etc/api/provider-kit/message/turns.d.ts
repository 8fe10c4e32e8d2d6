import type { ChatMessage } from '@x/interfaces';
import { type Media } from './media.ts';
import type { ContentRules } from './carried-content.ts';
import type { IdentifierRule, NameMap } from './identifiers.ts';
export interface TextTurnPart {
    type: 'text';
    text: string;
    cacheControl?: unknown;
}
export interface MediaTurnPart {
    type: 'media';
    media: Media;
    cacheControl?: unknown;
    citations?: unknown;
}
export interface CallTurnPart {
    type: 'call';
    id: string;
    name: string;
    args: Record<string, unknown>;
}
export interface ResultTurnPart {
    type: 'result';
    id: string;
    name: string;
    content: (TextTurnPart | MediaTurnPart)[];
    failed: boolean;
}
export type TurnPart = TextTurnPart | MediaTurnPart | CallTurnPart | ResultTurnPart;
export interface Turn {
    role: 'user' | 'assistant';
    parts: TurnPart[];
    own: unknown;
}
export interface TurnList {
    system: TextTurnPart[];
    turns: Turn[];
}
export interface TurnRules extends Omit<ContentRules, 'owners'> {
    readonly provider: string;
    readonly ids: IdentifierRule;
    readonly names: NameMap;
    readonly schemas?: ArgumentForms | undefined;
    readonly assistantMedia?: boolean | undefined;
}
interface ArgumentForms {
    encodeArguments(name: string, text: string): string;
}
export declare const CONTINUE_PROMPT = "Go on.";
export declare function turnsOf(messages: readonly ChatMessage[], rules: TurnRules): TurnList;
export declare function mergeTurns<T extends {
    role: string;
    parts: unknown[];
}>(turns: readonly T[]): T[];
export {};
