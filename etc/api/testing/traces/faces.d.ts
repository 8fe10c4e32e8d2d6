import type { Face } from '@x/interfaces';
import type { Recorded, Trace } from './trace.ts';
export declare function facesOf({ name, recorded }: Trace): [Face, Recorded][];
