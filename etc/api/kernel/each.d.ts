export { each } from './each.steps.ts';
