import type { LoggedRequest } from '../server/http-log.ts';
export interface WireFrame {
    readonly event?: string | undefined;
    readonly data: string;
}
export interface PlainReply {
    readonly id?: string | undefined;
    readonly model?: string | undefined;
    readonly reasoning?: {
        readonly text: string;
        readonly signature: string;
    } | undefined;
    readonly text?: string | undefined;
    readonly calls?: readonly {
        readonly id?: string;
        readonly name: string;
        readonly args?: object;
    }[] | undefined;
    readonly finish?: 'stop' | 'length' | 'content_filter' | undefined;
    readonly usage?: PlainUsage | undefined;
}
export interface PlainUsage {
    readonly prompt: number;
    readonly completion: number;
    readonly cached?: number | undefined;
    readonly reasoning?: number | undefined;
}
export interface WireRequest extends Pick<LoggedRequest, 'method' | 'path' | 'query' | 'headers'> {
    readonly body: Readonly<Record<string, unknown>>;
}
export interface WireRefusal {
    readonly status: number;
    readonly message: string;
}
export interface WireFormat {
    readonly name: string;
    isStream(request: WireRequest): boolean;
    refusal(request: WireRequest): WireRefusal | undefined;
    whole(reply: PlainReply): object;
    frames(reply: PlainReply): readonly WireFrame[];
    errorBody(status: number, message: string): object;
    readonly overloaded: WireFrame;
    readonly unknown: WireFrame;
}
export declare function writeFrame({ event, data }: WireFrame): string;
