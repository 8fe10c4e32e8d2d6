import { GroupChat } from './group-chat.ts';
import type { GroupPattern } from './pattern/pattern.ts';
export declare function renderTransitions<C extends object>(group: GroupChat | GroupPattern<C>): string;
