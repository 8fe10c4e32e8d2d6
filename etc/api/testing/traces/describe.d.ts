import type { Face } from '@x/interfaces';
import type { Difference } from './compare.ts';
export declare function describeDifferences(face: Face, differences: readonly Difference[]): string;
