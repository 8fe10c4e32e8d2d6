import { type Calibration } from './calibration.ts';
import { Game } from './moves.ts';
import { type Prompt } from './prompt.ts';
export interface StandInSettings {
    seed?: number | undefined;
    calibration?: Calibration | undefined;
    game?: Game | undefined;
}
export declare class StandIn {
    #private;
    constructor({ seed, calibration, game }?: StandInSettings);
    reply(prompt: Prompt, sample: number): string;
}
