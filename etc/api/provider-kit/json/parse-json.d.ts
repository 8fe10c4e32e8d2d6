export declare function parseJson(text: string): unknown;
