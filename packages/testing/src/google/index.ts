export { googleFormat } from './google-format.ts'
