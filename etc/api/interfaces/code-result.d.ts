export type Isolation = 'host' | 'sandbox' | 'wasm' | 'container';
export type StopReason = 'exit' | 'saved' | 'timeout' | 'output-limit' | 'memory' | 'processes' | 'disk' | 'unsupported-language' | 'bad-filename' | 'engine';
export interface BlockResult {
    readonly language: string;
    readonly exitCode: number;
    readonly stdout: string;
    readonly stderr: string;
    readonly reason: StopReason;
    readonly truncatedBytes: number;
    readonly ms: number;
    readonly isolation?: Isolation | undefined;
    readonly file?: string | undefined;
}
export interface Artifact {
    readonly name: string;
    readonly size: number;
    readonly kind: 'file' | 'directory' | 'link' | 'other';
}
export interface CodeResult {
    exitCode: number;
    output: string;
    codeFile?: string | undefined;
    blocks?: readonly BlockResult[] | undefined;
    artifacts?: readonly Artifact[] | undefined;
    changes?: readonly CodeChange[] | undefined;
}
export interface CodeChange {
    readonly name: string;
    readonly kind: 'added' | 'changed' | 'removed';
    readonly entry: 'file' | 'directory' | 'link';
    readonly target?: string | undefined;
    readonly risk?: string | undefined;
    readonly held?: string | undefined;
    readonly isRoutine?: boolean | undefined;
}
