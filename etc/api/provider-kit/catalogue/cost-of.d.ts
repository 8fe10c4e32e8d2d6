import type { AnswerUsage } from '@x/interfaces';
import type { ModelPrice } from './model-facts.ts';
export declare function costOf(price: ModelPrice, usage: AnswerUsage): number;
