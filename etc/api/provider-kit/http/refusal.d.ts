import type { HttpRefusal } from '../failure/raise-failure.ts';
export declare function requireSuccess(response: Response): Promise<Response>;
export declare function refusalIn(error: unknown): HttpRefusal | undefined;
