/** For packages that reserve in more than one budget. */
export { reserveInBoth } from './reserve-in-both.ts'
