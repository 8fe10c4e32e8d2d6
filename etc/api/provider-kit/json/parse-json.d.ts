export declare function parsedJson(text: string): unknown;
