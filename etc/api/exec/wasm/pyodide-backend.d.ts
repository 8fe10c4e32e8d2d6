import type { ChangeRules } from '../changes/changeset.ts';
import { type LimitedBackend } from '../run/job.ts';
export interface PyodideSpec {
    readonly kind: 'pyodide';
    readonly workDir: string;
    readonly rules?: ChangeRules | undefined;
    readonly env: Readonly<Record<string, string>>;
    readonly from?: string | undefined;
}
export declare function pyodideBackend(spec: PyodideSpec): LimitedBackend;
