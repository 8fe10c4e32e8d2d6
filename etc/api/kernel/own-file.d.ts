export declare function ownFile(path: string): number;
