import type { ActionToApprove, Io, XEvent } from '@x/interfaces';
export declare function consoleIo(): Io;
export declare const consoleText: (event: XEvent) => string | undefined;
export declare const printable: (text: string) => string;
export declare const isConsole: ({ takes }: Io) => boolean;
export declare const UNSILENCED_TOPICS: ReadonlySet<string>;
export declare const silentIo: (io: Io) => Io;
export declare function actionText(action: ActionToApprove): string;
