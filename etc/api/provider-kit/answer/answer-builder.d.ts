import type { AnswerDetails, AnswerUsage, ChatMessage, FinishReason, ModelAnswer, ModelEvent } from '@x/interfaces';
import { type NameMap } from '../message/identifiers.ts';
import type { RequestSchemas } from '../schema/request-schemas.ts';
export interface CallInit {
    readonly id?: string | null | undefined;
    readonly name: string;
}
export interface AnswerBuilder {
    start(facts: {
        id?: unknown;
        model?: unknown;
        created?: unknown;
    }): void;
    text(text: string, index?: number): void;
    reasoning(text: string, index?: number): void;
    textWasReasoning(index?: number): string;
    callStart(init: CallInit, index?: number): number;
    callDelta(call: number, piece: string, index?: number): void;
    callEnd(call: number, index?: number): void;
    usage(usage: AnswerUsage | undefined, isPartial?: boolean): void;
    readonly counts: AnswerUsage | undefined;
    own(data: unknown, index?: number): void;
    extend(fields: Pick<ChatMessage, 'function_call'>, index?: number): void;
    details(details: ChoiceDetails, index?: number): void;
    media(media: Omit<NonNullable<AnswerDetails['media']>[number], 'at'>, index?: number): void;
    part(kind: string, part: object, index?: number): void;
    extra(fields: Readonly<Record<string, unknown>>): void;
    finish(reason: FinishReason, index?: number): void;
    calls(index?: number): number;
    isFinished(choices: number): boolean;
    readonly hasContent: boolean;
    take(): ModelEvent[];
    end(isCut?: boolean): ModelAnswer;
}
export interface AnswerOrigin {
    readonly model: string;
    readonly provider: string;
    readonly names: NameMap;
    readonly schemas?: RequestSchemas | undefined;
}
export declare function createAnswerBuilder(origin: AnswerOrigin, tellsEvents?: boolean): AnswerBuilder;
export type ChoiceDetails = Omit<AnswerDetails, 'reasoning'>;
