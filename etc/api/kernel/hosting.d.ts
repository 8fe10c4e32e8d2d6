export { damagedChat, readClaimedChat, readStoredChat, readStoredEntry, readStoredEvents, readStoredRecord, type StoredChat, type StoredJournal, } from './stored-chat.ts';
