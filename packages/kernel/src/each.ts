/** Makes events of a source of one's own. */
export { each } from './steps.ts'
