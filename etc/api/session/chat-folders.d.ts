export interface ChatFolder {
    readonly name: string;
    readonly folder: string;
    readonly changed: number;
}
export declare function chatFolders(folder: string): ChatFolder[];
