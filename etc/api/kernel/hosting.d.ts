export { damagedChat, readClaimedChat, readStoredChat, readStoredEntry, readStoredEvents, readStoredRecord, } from './stored-chat.ts';
declare function warnThat(text: string): (error: unknown) => void;
export { warnThat };
