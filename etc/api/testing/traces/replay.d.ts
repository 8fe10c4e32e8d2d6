import type { Face } from '@x/interfaces';
import type { Recorded, Trace } from './trace.ts';
import type { World } from './world.ts';
export declare function replay(trace: Trace, face: Face, world: World): Promise<Recorded>;
