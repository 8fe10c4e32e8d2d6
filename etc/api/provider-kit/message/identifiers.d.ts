import type { ChatMessage } from '@x/interfaces';
import type { CheckedParams } from './read-params.ts';
export interface IdentifierRule {
    readonly maxLength: number;
    readonly minLength?: number | undefined;
    readonly forbidden: RegExp;
}
export declare function createIdMap(rule: IdentifierRule, ids?: readonly string[]): (id: string) => string;
export declare function idsOf(messages: readonly ChatMessage[]): string[];
export declare function fingerprint(text: string): string;
export interface NameMap {
    to(name: string): string;
    from(name: string): string;
}
export declare function createNameMap(names: readonly string[], rule: IdentifierRule): NameMap;
export declare class RequestNames implements NameMap {
    #private;
    static readonly kept: RequestNames;
    constructor(request: Pick<CheckedParams, 'tools' | 'messages'>, rule: IdentifierRule);
    to(name: string): string;
    from(name: string): string;
}
