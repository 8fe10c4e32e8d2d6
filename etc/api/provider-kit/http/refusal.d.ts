import type { HttpRefusal } from '../failure/raise-failure.ts';
import { type ReceiveLimits } from './receive-limits.ts';
export declare function requireSuccess(response: Response, limits?: ReceiveLimits): Promise<Response>;
export declare function refusalIn(error: unknown): HttpRefusal | undefined;
