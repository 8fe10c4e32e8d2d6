import type { ContentPart } from '@x/interfaces';
export type Media = {
    type: 'bytes';
    mediaType: string;
    data: string;
    filename?: string | undefined;
} | {
    type: 'link';
    url: string;
    mediaType: string | undefined;
} | {
    type: 'stored';
    id: string;
    mediaType: string | undefined;
};
export declare function mediaOf(part: Exclude<ContentPart, {
    type: 'text';
}>): Media | undefined;
