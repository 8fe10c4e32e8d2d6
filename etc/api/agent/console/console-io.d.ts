import type { Io } from '@x/interfaces';
export declare function consoleIo(): Io;
export declare const printable: (text: string) => string;
