import type { ConfigEntry } from './config-entry.ts';
import type { Provider } from './provider.ts';
export interface ModelRef extends ConfigEntry {
    readonly provider: Provider;
    readonly model: string;
    readonly environment: readonly string[];
}
