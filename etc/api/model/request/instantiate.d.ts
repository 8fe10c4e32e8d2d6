import type { ChatMessage } from '@x/interfaces';
export type Template = string | ((context: Record<string, unknown>) => string);
export declare function instantiate<T extends Template | null>(template: T, context?: Record<string, unknown> | null, allowFormatStrTemplate?: boolean | null): string | T;
export declare function instantiateMessages(messages: readonly ChatMessage[], context: Record<string, unknown> | null, allowFormatStrTemplate: boolean | null, known?: number): readonly ChatMessage[];
