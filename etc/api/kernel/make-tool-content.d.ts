import type { ContentPart, ToolContent } from '@x/interfaces';
export declare function toolContent(parts: readonly ContentPart[]): ToolContent;
export declare function contentOfResult(result: unknown): string | ContentPart[] | undefined;
export declare const isParts: (value: unknown) => value is ContentPart[];
