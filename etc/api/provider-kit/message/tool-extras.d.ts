import type { RequestTool } from './read-params.ts';
export declare const toolFieldVendor: (field: string) => string | undefined;
export declare function toolExtras(tool: RequestTool, own: string, warn: (topic: string, text: string) => void): Record<string, unknown>;
