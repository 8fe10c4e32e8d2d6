export declare function isHostOf(url: string, domain: string): boolean;
export declare function shownUrl(url: string): string;
export declare function withoutTrailingSlashes(url: string): string;
export declare function withQueryLast(url: string, baseUrl?: string): string;
