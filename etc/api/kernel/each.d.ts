export { each } from './steps.ts';
