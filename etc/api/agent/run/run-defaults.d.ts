import type { Io } from '@x/interfaces';
export interface RunDefaults {
    readonly io: Io;
    readonly now: () => number;
}
