import type { CheckedParams } from './read-params.ts';
import { type IdentifierRule } from './tool-ids.ts';
export interface NameMap {
    to(name: string): string;
    from(name: string): string;
}
export declare function createNameMap(names: readonly string[], { maxLength, forbidden }: IdentifierRule): NameMap;
export declare function toolNamesOf({ tools, messages }: Pick<CheckedParams, 'tools' | 'messages'>): string[];
