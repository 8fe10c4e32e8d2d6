import type { WireRefusal, WireRequest } from '../wire/wire-format.ts';
export declare function anthropicRefusal({ path, headers, body }: WireRequest): WireRefusal | undefined;
