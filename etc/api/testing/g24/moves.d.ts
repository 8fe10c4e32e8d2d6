import { type Rational } from './rational.ts';
export interface Move {
    readonly op: string;
    readonly a: Rational;
    readonly b: Rational;
    readonly value: Rational;
    readonly left: readonly Rational[];
    readonly rare: boolean;
    readonly good: boolean;
}
export declare const keyOf: (numbers: readonly Rational[]) => string;
export declare const nameOf: ({ op, a, b }: Pick<Move, 'op' | 'a' | 'b'>) => string;
export declare const stepOf: ({ op, a, b, value, left }: Omit<Move, 'rare' | 'good'>) => string;
export declare class Game {
    #private;
    solvable(numbers: readonly Rational[]): boolean;
    moves(numbers: readonly Rational[]): readonly Move[];
}
