/** For operations that take options: every key and every simple value is checked before anything happens. */
export { checkOptions } from './check-options.ts'
export { nearestName } from './check-options.ts'
export { kind, type OptionKinds } from './check-options.ts'
export { runOptionKinds, SIGNAL_OF_RUN } from './check-options.ts'
