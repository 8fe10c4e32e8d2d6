export interface ReadOptions {
    reflection: string;
    options: string[];
}
export declare function readOptions(reply: string): ReadOptions;
