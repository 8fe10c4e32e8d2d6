export type Runtime = 'python' | 'bash' | 'sh' | 'powershell' | 'javascript' | 'typescript' | 'html' | 'css';
export declare const FILE_ENDINGS: Readonly<Record<Runtime, string>>;
export declare function runtimeOf(language: string): Runtime | undefined;
export type ExecutePolicy = {
    readonly [Name in Runtime]?: boolean | undefined;
};
export declare const COMMAND_LINE_POLICY: ExecutePolicy;
