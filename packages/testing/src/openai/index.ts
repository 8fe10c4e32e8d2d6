export { responsesFormat } from './responses-format.ts'
