import type { ThinkNode } from '../tree/think-node.ts';
import { SearchContext, type Wave } from './search-context.ts';
import type { Method } from './strategy.ts';
export declare const searchMethod: (explore: (search: SearchContext) => Wave<ThinkNode | null | void>) => Method;
