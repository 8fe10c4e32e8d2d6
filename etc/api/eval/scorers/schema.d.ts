import type { JsonSchema } from '@x/interfaces';
import type { Scorer } from '../task.ts';
export declare function schema(of?: JsonSchema): Scorer;
export declare function isDeepEqual(one: unknown, other: unknown): boolean;
