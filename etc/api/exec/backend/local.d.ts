import { type LimitedBackend } from '../run/job.ts';
export interface LocalSpec {
    readonly kind: 'local';
    readonly workDir: string;
    readonly env: Readonly<Record<string, string>>;
}
export declare function localBackend({ workDir, env }: LocalSpec): LimitedBackend;
