export declare function withHeaders(headers: Readonly<Record<string, string>>, more: Readonly<Record<string, string | null>> | undefined): Record<string, string>;
