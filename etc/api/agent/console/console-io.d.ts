import type { ActionToApprove, HistoryCutReport, Io, XEvent } from '@x/interfaces';
export declare function consoleIo(): Io;
export declare const printable: (text: string) => string;
export declare const PRINTED_EVENT_TYPES: ReadonlySet<XEvent['type']>;
export declare const isConsole: ({ takes }: Io) => boolean;
export declare const silentIo: (io: Io) => Io;
type GroupEvent = Extract<XEvent, {
    type: 'groupChatRunChat' | 'groupChatResume' | 'clearAgentsHistory' | 'selectSpeaker' | 'selectSpeakerInvalidInput' | 'selectSpeakerTryCountExceeded' | 'speakerAttemptSuccessful' | 'speakerAttemptFailedMultipleAgents' | 'speakerAttemptFailedNoAgents';
}>;
export declare function groupText(event: GroupEvent): string;
export declare function cutText(event: HistoryCutReport & {
    readonly agent: string;
}): string;
export declare function actionText(action: ActionToApprove): string;
export {};
