import type { ModelResponse, SpanEvent } from '@x/interfaces';
type CallOutcome = Pick<Extract<SpanEvent, {
    type: 'modelCallEnd';
}>, 'message' | 'details' | 'model' | 'configId' | 'finishReason' | 'cached' | 'usage' | 'cost'>;
export declare function callOutcome(response: ModelResponse | null): CallOutcome;
export {};
