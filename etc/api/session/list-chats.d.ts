export interface ListedChat {
    readonly name: string;
    readonly folder: string;
    readonly changed: number;
    readonly title: string | null;
}
export declare function listChats(parent: string): ListedChat[];
