import type { CodeBlock } from '@x/interfaces';
export declare function extractCode(text: string, { detectSingleLineCode }?: {
    detectSingleLineCode?: boolean | undefined;
}): CodeBlock[];
export declare function markdownCode(text: string, infer?: (code: string) => string): CodeBlock[];
