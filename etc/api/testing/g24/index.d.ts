export { BareModel } from './bare-model.ts';
export { GPT4, type Calibration, type Chances } from './calibration.ts';
export { checkAnswer, evaluate, expressionOf } from './check.ts';
export { Game, type Move } from './moves.ts';
export { numbersOf, questionOf, verifierOf } from './question.ts';
export { RoundCounter } from './rounds.ts';
export type { StandInSettings } from './stand-in.ts';
export { StandInClient, type StandInOptions } from './stand-in-client.ts';
export { rational, show, type Rational } from './rational.ts';
