export { createHost, type Host } from './create-host.ts';
export { defineChat, type ChatDefinition, type ChatRun, type DefinedChat, type PerformOptions } from './define-chat.ts';
export type { EventsOptions, HostOptions, ListOptions, SubmitOptions, WorkOptions } from './host-options.ts';
export { sqlite, type SqliteOptions } from './sqlite/sqlite.ts';
