export { reserveInBoth } from './reserve-in-both.ts';
