export { googleFormat } from './google-format.ts';
export { googleRefusal } from './google-refusal.ts';
