import type { WireRefusal, WireRequest } from '../wire/wire-format.ts';
export declare function googleRefusal({ path, headers, body }: WireRequest): WireRefusal | undefined;
