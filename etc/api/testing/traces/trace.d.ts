import type { JsonValue } from '@x/interfaces';
export type TraceValue = JsonValue;
export interface Trace {
    readonly name: string;
    readonly about: string;
    readonly given: Given;
    readonly steps: readonly Step[];
    readonly recorded: Then;
    readonly log?: boolean;
    readonly count_model_calls?: boolean;
}
export interface Given {
    readonly models?: Readonly<Record<string, GivenModel>>;
    readonly agents?: Readonly<Record<string, GivenAgent>>;
    readonly human?: readonly string[];
    readonly tools?: Readonly<Record<string, GivenTool>>;
    readonly functions?: Readonly<Record<string, GivenFunction>>;
}
export interface GivenModel {
    readonly replies?: readonly GivenReply[];
    readonly rules?: readonly {
        readonly when: string;
        readonly reply: GivenReply;
    }[];
    readonly usage?: readonly [prompt: number, completion: number];
    readonly cost?: number;
}
export type GivenReply = string | {
    readonly error: GivenFailure;
    readonly message?: string;
} | {
    readonly content?: string | null;
    readonly tool_calls?: readonly TraceValue[];
    readonly function_call?: TraceValue;
    readonly usage?: readonly [prompt: number, completion: number];
};
export type GivenFailure = 'timeout' | 'connection' | 'rate-limit' | 'server' | 'auth' | 'content-filter' | 'other';
export interface GivenAgent {
    readonly class: string;
    readonly options?: Readonly<Record<string, TraceValue>>;
    readonly model?: string;
    readonly request?: Readonly<Record<string, TraceValue>>;
    readonly run_code?: readonly (readonly [exitCode: number, logs: string, image: string | null])[];
    readonly thinker_model?: string;
    readonly grader_model?: string;
}
export interface GivenTool {
    readonly description?: string;
    readonly params: Readonly<Record<string, {
        readonly default?: TraceValue;
        readonly [keyword: string]: TraceValue | undefined;
    }>>;
    readonly result: GivenToolResult;
    readonly async?: boolean;
}
export type GivenToolResult = {
    readonly sum: readonly string[];
} | {
    readonly template: string;
} | {
    readonly raise: string;
} | {
    readonly value: TraceValue;
};
export type GivenFunction = ({
    readonly kind: 'tool';
} & GivenTool) | {
    readonly kind: 'reply';
    readonly results: readonly (readonly [final: boolean, reply: TraceValue])[];
    readonly count_in_config?: string;
    readonly async?: boolean;
} | {
    readonly kind: 'nested_reply';
    readonly result: readonly [final: boolean, reply: TraceValue];
    readonly async?: boolean;
} | {
    readonly kind: 'termination' | 'filter';
    readonly contains?: string;
    readonly ends_with?: string;
} | {
    readonly kind: 'trigger';
    readonly sender_in: readonly string[];
} | {
    readonly kind: 'content_hook' | 'send_hook';
    readonly append: string;
} | {
    readonly kind: 'messages_hook';
    readonly keep_last: number;
} | {
    readonly kind: 'state_hook';
    readonly set_system_message: string;
} | {
    readonly kind: 'message' | 'nested_message' | 'summary' | 'template';
    readonly template: string;
} | {
    readonly kind: 'reset_config';
    readonly to: Readonly<Record<string, TraceValue>>;
};
export interface Step {
    readonly do: string;
    readonly on?: string;
    readonly wrapper?: string;
    readonly args?: readonly TraceValue[];
    readonly with?: Readonly<Record<string, TraceValue>>;
    readonly path?: readonly string[];
    readonly as?: string;
    readonly of?: string;
    readonly tool?: string;
    readonly fn?: string;
}
export interface Then {
    readonly both?: Recorded;
    readonly sync?: Recorded;
    readonly async?: Recorded;
}
export type Result = {
    readonly value: TraceValue;
} | {
    readonly error: string;
    readonly code: string | null;
};
export interface Recorded {
    readonly results: readonly Result[];
    readonly histories?: Readonly<Record<string, Readonly<Record<string, readonly TraceValue[]>>>>;
    readonly auto_reply_counters?: Readonly<Record<string, Readonly<Record<string, number>>>>;
    readonly model_calls?: readonly {
        readonly model: string;
        readonly params: Readonly<Record<string, TraceValue>>;
    }[];
    readonly model_call_counts?: Readonly<Record<string, number>>;
    readonly function_calls?: readonly Facts[];
    readonly events?: readonly Facts[];
    readonly prompts?: readonly string[];
    readonly log?: readonly Facts[];
    readonly warnings?: number;
}
export type Facts = Readonly<Record<string, TraceValue | undefined>>;
