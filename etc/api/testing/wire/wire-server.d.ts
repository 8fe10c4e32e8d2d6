import { type HttpShell } from '../server/http-shell.ts';
import { type PlainReply, type WireFormat, type WireFrame, type WireRequest } from './wire-format.ts';
export type WireStep = {
    readonly reply: PlainReply;
    readonly cutAfter?: number | undefined;
    readonly stallAfter?: number | undefined;
    readonly resetAfter?: number | undefined;
    readonly inserted?: {
        readonly at: number;
        readonly frames: readonly WireFrame[];
    } | undefined;
} | {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly body?: string | object | undefined;
} | {
    readonly hang: true;
} | {
    readonly reset: true;
};
export interface WireServerOptions {
    readonly steps: readonly WireStep[] | ((request: WireRequest, index: number) => WireStep);
    readonly strict?: boolean | undefined;
}
export interface WireServer extends Omit<HttpShell, 'origin'> {
    readonly url: string;
}
export declare function startWireServer(format: WireFormat, options: WireServerOptions): Promise<WireServer>;
