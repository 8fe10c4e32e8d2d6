import type { ErrorInit, ModelErrorKind } from '@x/interfaces';
import { XError } from '@x/kernel';
export declare function modelFailure(kind: ModelErrorKind, message: string, init?: Omit<ErrorInit, 'kind' | 'attempts'>): XError;
export declare function plainCause(error: unknown, secrets: Iterable<string>, depth?: number): Error | undefined;
export declare function plainText(text: string): string;
