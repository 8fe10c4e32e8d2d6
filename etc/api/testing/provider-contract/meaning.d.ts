import type { ModelErrorKind } from '@x/interfaces';
import type { PlainUsage } from '../wire/wire-format.ts';
export type PlainPart = {
    readonly type: 'text';
    readonly text: string;
} | {
    readonly type: 'reasoning';
    readonly text: string;
} | {
    readonly type: 'image';
    readonly mediaType: string;
    readonly data: string;
} | {
    readonly type: 'link';
    readonly url: string;
} | {
    readonly type: 'file';
    readonly mediaType: string;
    readonly data: string;
} | {
    readonly type: 'call';
    readonly id?: string | undefined;
    readonly name: string;
    readonly args: unknown;
} | {
    readonly type: 'result';
    readonly id?: string | undefined;
    readonly name?: string | undefined;
    readonly parts: readonly PlainPart[];
    readonly failed?: boolean | undefined;
};
export interface PlainMessage {
    readonly role: 'system' | 'user' | 'assistant' | 'tool';
    readonly parts: readonly PlainPart[];
}
export interface PlainRequest {
    readonly model: string;
    readonly stream: boolean;
    readonly messages: readonly PlainMessage[];
    readonly tools?: readonly {
        readonly name: string;
        readonly description?: string | undefined;
        readonly parameters?: object | undefined;
    }[] | undefined;
    readonly choice?: 'auto' | 'none' | 'required' | {
        readonly name: string;
    } | undefined;
    readonly parallelCalls?: boolean | undefined;
    readonly maxTokens?: number | undefined;
    readonly temperature?: number | undefined;
    readonly topP?: number | undefined;
    readonly topK?: number | undefined;
    readonly stop?: readonly string[] | undefined;
    readonly seed?: number | undefined;
    readonly presencePenalty?: number | undefined;
    readonly frequencyPenalty?: number | undefined;
    readonly effort?: string | undefined;
    readonly n?: number | undefined;
    readonly format?: 'json' | object | undefined;
}
export interface PlainCall {
    readonly id: string;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
}
export type PlainPiece = {
    readonly type: 'text' | 'reasoning';
    readonly choice: number;
    readonly text: string;
} | ({
    readonly type: 'call';
    readonly choice: number;
    readonly call: number;
} & PlainCall) | {
    readonly type: 'callStart';
    readonly choice: number;
    readonly call: number;
    readonly id: string;
    readonly name: string;
} | {
    readonly type: 'callDelta';
    readonly choice: number;
    readonly call: number;
    readonly text: string;
} | {
    readonly type: 'callEnd';
    readonly choice: number;
    readonly call: number;
} | {
    readonly type: 'finish';
    readonly choice: number;
    readonly word: string;
};
export interface PlainAnswer {
    readonly id: string;
    readonly model: string;
    readonly created: number;
    readonly choices: readonly {
        readonly reasoning: string;
        readonly text: string;
        readonly calls: readonly PlainCall[];
        readonly finish: string;
    }[];
    readonly pieces: readonly PlainPiece[];
    readonly usage: PlainUsage | null;
}
export type MissingFeature = 'images' | 'text-parts' | 'image-links' | 'files' | 'image-order' | 'result-images' | 'result-names' | 'result-failures' | 'call-ids' | 'choice-none' | 'choice-required' | 'choice-named' | 'parallel_tool_calls' | 'max_tokens' | 'temperature' | 'top_p' | 'top_k' | 'stop' | 'seed' | 'presence_penalty' | 'frequency_penalty' | 'reasoning_effort' | 'n' | 'json' | 'schema' | 'schema-with-tools' | 'answer-id' | 'answer-model' | 'answer-created' | 'reasoning' | 'reasoning-history' | 'usage-cached' | 'usage-reasoning' | 'usage-null' | 'stream-end' | 'call-end';
export interface WireMeaning {
    readonly decode: (body: Readonly<Record<string, unknown>>, request: {
        readonly url: string;
    }) => PlainRequest;
    readonly whole: (answer: PlainAnswer) => object;
    readonly frames: (answer: PlainAnswer) => readonly string[];
    readonly finish: Readonly<Record<string, string>>;
    readonly calls?: 'whole' | 'pieces' | 'interleaved' | undefined;
    readonly lacks?: readonly MissingFeature[] | undefined;
    readonly alternates?: boolean | undefined;
    readonly ids?: RegExp | undefined;
    readonly names?: RegExp | undefined;
    readonly url?: string | undefined;
    readonly headers?: ((key: string) => Readonly<Record<string, string>>) | undefined;
    readonly environmentKey?: string | undefined;
    readonly key?: string | undefined;
    readonly facts?: {
        readonly capabilities: Readonly<Record<string, unknown>>;
        readonly price?: {
            readonly input: number;
            readonly output: number;
        } | undefined;
        readonly provider?: object | undefined;
    } | undefined;
    readonly errorBodies?: readonly string[] | undefined;
    readonly errorFrames?: readonly {
        readonly text: string;
        readonly kind: ModelErrorKind;
    }[] | undefined;
}
