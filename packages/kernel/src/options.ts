/** For operations that take options: every key and every simple value is checked before anything happens. */
export { checkOptions } from './check-options.ts'
export { nearestName } from './nearest.ts'
export { kind, type OptionKinds } from './option-kind.ts'
export { runOptionKinds } from './run-option-kinds.ts'
