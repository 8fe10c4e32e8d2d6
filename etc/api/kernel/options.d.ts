export { checkOptions } from './check-options.ts';
export { nearestName } from './check-options.ts';
export { kind, type OptionKinds } from './check-options.ts';
export { runOptionKinds, SIGNAL_OF_RUN } from './check-options.ts';
