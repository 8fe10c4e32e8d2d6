import type { ContentPart, ToolContent } from '@x/interfaces';
export declare function toolContent(parts: readonly ContentPart[]): ToolContent;
export declare function contentOfResult(result: unknown): string | ContentPart[] | undefined;
export declare const isParts: (value: unknown) => value is ContentPart[];
export type MediaPart = Exclude<ContentPart, {
    type: 'text';
}>;
export declare function partLine(part: MediaPart, why?: string): string;
export declare function contentText(content: unknown): string;
