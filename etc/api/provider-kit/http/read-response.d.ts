export type Readable = Pick<Response, 'text' | 'body' | 'headers'>;
export declare function readJson(response: Readable): Promise<unknown>;
export declare function readFrames(response: Readable, done?: object): AsyncGenerator<unknown[], void>;
