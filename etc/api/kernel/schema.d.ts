export { issuesText, problemOfSchema, validation, validatorFor } from './schema/validation.ts';
