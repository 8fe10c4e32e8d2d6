export { checkOptions } from './check-options.ts';
export { nearestName } from './nearest.ts';
export { kind, type OptionKinds } from './option-kind.ts';
export { runOptionKinds } from './run-option-kinds.ts';
