import type { Isolation } from '@x/interfaces';
import type { BackendFactory } from '../custom/backend.ts';
export interface JupyterSettings {
    readonly url: string;
    readonly token?: string | undefined;
    readonly kernel?: string | undefined;
    readonly isolation?: Isolation | undefined;
}
export declare const jupyterKernel: BackendFactory<JupyterSettings>;
