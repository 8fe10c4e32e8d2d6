import type { RequestTool } from './read-params.ts';
export type ParamVendor = 'openai' | 'anthropic' | 'google' | 'open';
export declare const vendorOf: (name: string, place?: 'parameter' | 'tool') => ParamVendor | undefined;
export declare function toolExtras(tool: RequestTool, vendor: ParamVendor, warn: (topic: string, text: string) => void): Record<string, unknown>;
