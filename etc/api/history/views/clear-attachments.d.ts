import type { View } from './view.ts';
import { type ClearOptions } from './clear-tool-results.ts';
export declare function clearAttachments(options?: ClearOptions): View;
