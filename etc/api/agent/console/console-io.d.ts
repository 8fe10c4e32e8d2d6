import type { Io } from '@x/interfaces';
export declare function consoleIo(): Io;
