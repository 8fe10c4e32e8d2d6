import type { Scorer } from '../task.ts';
export declare function exact(): Scorer;
export declare function finalAnswer(text: string): string;
