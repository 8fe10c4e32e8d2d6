import type { ClientOptions } from '@x/interfaces';
import type { XError } from '@x/kernel';
export type ReceiveLimits = Pick<ClientOptions, 'maxErrorBytes' | 'maxEventBytes' | 'maxBodyBytes'>;
export declare function limitOf(limits: ReceiveLimits, name: keyof ReceiveLimits): number;
export declare function tooLong(what: string, name: keyof ReceiveLimits, most: number): XError;
