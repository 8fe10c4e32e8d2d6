import type { HostBackend } from '@x/interfaces';
import type { Records } from './records.ts';
export declare function hostRuns(backend: HostBackend | (() => HostBackend)): Pick<Records, 'list' | 'read'>;
