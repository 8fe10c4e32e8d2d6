import type { ContentPart } from '@x/interfaces';
export type MediaPart = Exclude<ContentPart, {
    type: 'text';
}>;
export declare function partLine(part: MediaPart, why?: string): string;
export declare function contentText(content: unknown): string;
export declare function urlOf({ image_url: image }: Extract<ContentPart, {
    type: 'image_url';
}>): unknown;
export declare function bytesOf(base64: string): number;
