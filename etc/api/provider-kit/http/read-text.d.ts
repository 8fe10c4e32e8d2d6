export type Readable = Pick<Response, 'text' | 'body' | 'headers'>;
export interface BodyText {
    readonly text: string;
    readonly cut: boolean;
}
export declare function readText(response: Readable, most: number): Promise<BodyText>;
export declare function readBrokenText(response: Readable, most: number): Promise<string>;
export declare function bytesOf(body: NonNullable<Response['body']>): AsyncIterator<Uint8Array>;
