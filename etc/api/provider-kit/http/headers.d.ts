export declare function withHeaders(headers: Readonly<Record<string, string>>, more: Readonly<Record<string, string | null>> | undefined): Record<string, string>;
export type ResponseHeaders = Pick<Headers, 'forEach'>;
export declare function answerHeaders(headers: ResponseHeaders, secrets: Iterable<string>): Record<string, string> | undefined;
