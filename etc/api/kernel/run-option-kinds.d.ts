import type { RunOptions } from '@x/interfaces';
import { type OptionKinds } from './option-kind.ts';
export declare const runOptionKinds: OptionKinds<RunOptions>;
