export interface NamedFile {
    readonly name: string;
    readonly labelled: boolean;
}
export declare function fileNameIn(code: string): NamedFile | null;
export declare function nameFault(name: string, windows?: boolean): string | null;
export declare function wantedName(code: string): string | null;
