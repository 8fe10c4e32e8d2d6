/** For packages that check values against schemas: arguments of tools, results, answers of models. */
export { issuesText, problemOfSchema, validation, validatorFor } from './schema/validation.ts'
