export { every, type Schedule } from './schedule.ts';
