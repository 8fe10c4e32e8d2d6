export type { StudioAgent } from './chats.ts';
export type { StudioSource } from './run-source.ts';
export { studio, type StudioHandler, type StudioOptions } from './studio.ts';
