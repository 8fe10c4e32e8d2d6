import { type JSONRPCMessage, type StreamableHTTPClientTransportOptions, type Transport, type TransportSendOptions } from '@modelcontextprotocol/client';
export declare const STREAM_ENDED_CODE = -39999;
export declare class HttpTransport implements Transport {
    #private;
    readonly hasPerRequestStream = true;
    constructor(url: URL, options: StreamableHTTPClientTransportOptions);
    get onmessage(): Transport['onmessage'];
    set onmessage(listener: Transport['onmessage']);
    get onclose(): (() => void) | undefined;
    set onclose(listener: (() => void) | undefined);
    get onerror(): ((error: Error) => void) | undefined;
    set onerror(listener: ((error: Error) => void) | undefined);
    get sessionId(): string | undefined;
    setProtocolVersion: (version: string) => void;
    start: () => Promise<void>;
    send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
    finishAuth(parameters: URLSearchParams): Promise<void>;
    endSession(): Promise<void>;
    close(): Promise<void>;
}
