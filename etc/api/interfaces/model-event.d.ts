import type { AnswerDetails, AnswerUsage, FinishReason } from './answer.ts';
export interface ModelStart {
    type: 'start';
    id: string;
    model: string;
}
export interface TextDelta {
    type: 'textDelta';
    index: number;
    text: string;
}
export interface ReasoningDelta {
    type: 'reasoningDelta';
    index: number;
    text: string;
}
export interface TextWasReasoning {
    type: 'textWasReasoning';
    index: number;
}
export interface ToolCallStart {
    type: 'toolCallStart';
    index: number;
    call: number;
    id: string | null;
    name: string;
}
export interface ToolCallDelta {
    type: 'toolCallDelta';
    index: number;
    call: number;
    arguments: string;
}
export interface ToolCallEnd {
    type: 'toolCallEnd';
    index: number;
    call: number;
}
export interface UsageEvent {
    type: 'usage';
    usage: AnswerUsage;
}
export interface DetailsEvent {
    type: 'details';
    index: number;
    details: Omit<AnswerDetails, 'reasoning'>;
}
export interface ModelFinish {
    type: 'finish';
    index: number;
    reason: FinishReason;
}
export type ModelEvent = ModelStart | TextDelta | ReasoningDelta | TextWasReasoning | ToolCallStart | ToolCallDelta | ToolCallEnd | UsageEvent | DetailsEvent | ModelFinish;
