import { type LimitedBackend } from '../run/job.ts';
export interface PyodideSpec {
    readonly kind: 'pyodide';
    readonly workDir: string;
    readonly writable?: readonly string[] | undefined;
    readonly env: Readonly<Record<string, string>>;
    readonly from?: string | undefined;
}
export declare function pyodideBackend(spec: PyodideSpec): LimitedBackend;
