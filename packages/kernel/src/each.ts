/** Makes events of a source of one's own. */
export { each } from './each.steps.ts'
