export declare function isHostOf(url: string, domain: string): boolean;
