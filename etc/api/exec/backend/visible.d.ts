export interface Visible {
    readonly directories: readonly string[];
    readonly links: readonly (readonly [target: string, path: string])[];
    readonly covered: readonly string[];
}
export declare function visiblePrograms(hidden: readonly string[]): Visible;
export declare function homesAndHere(): string[];
export declare function realPath(path: string): string[];
export declare const within: (directory: string, path: string) => boolean;
