import type { Runtime } from '../run/languages.ts';
export interface Interpreter {
    readonly path: string;
    readonly directory: string;
}
export declare function interpreterOutside(name: string, path: string, hidden: readonly string[]): Interpreter | null;
export declare const INTERPRETER_COMMANDS: Readonly<Partial<Record<Runtime, readonly (readonly [string, ...string[]])[]>>>;
export declare const asArgument: (file: string) => string;
export declare function lookUp(name: string, path: string): string | undefined;
export interface Visible {
    readonly directories: readonly string[];
    readonly links: readonly (readonly [target: string, path: string])[];
    readonly covered: readonly string[];
}
export declare function visiblePrograms(hidden: readonly string[]): Visible;
export declare const within: (directory: string, path: string) => boolean;
