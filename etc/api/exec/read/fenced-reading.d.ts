import type { CodeBlock } from '@x/interfaces';
export declare function fencedCode(text: string): CodeBlock[];
